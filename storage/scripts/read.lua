-- Reads of one partition's keys that are one cut with its fence. A script and no MULTI: EXEC would
-- drop the WATCH of the connection, and a full Redis refuses even reads inside MULTI.
--
-- KEYS   the fence's key, then the keys of the reads, each once
-- ARGV   the expected fence; for each read: code, index of its key in KEYS, number of arguments n,
--        n arguments
--          G  a string
--          M  fields of a hash             field ...
--          A  all fields of a hash
--          Z  a range of a sorted set      lowest score, highest score, entries to skip, most entries
--          R  a range of a list            start, stop
-- Returns {fence found (or false), answer, ...}; when the fence is not the expected one, only that.

local CHUNK = 1000

local READS = {
  G = function(key) return redis.call('GET', key) end,
  M = function(key, first, last)
    local values = {}
    for start = first, last, CHUNK do
      local stop = math.min(start + CHUNK - 1, last)
      for _, value in ipairs(redis.call('HMGET', key, unpack(ARGV, start, stop))) do
        values[#values + 1] = value
      end
    end
    return values
  end,
  A = function(key) return redis.call('HGETALL', key) end,
  Z = function(key, first)
    return redis.call('ZRANGEBYSCORE', key, ARGV[first], ARGV[first + 1], 'WITHSCORES',
      'LIMIT', ARGV[first + 2], ARGV[first + 3])
  end,
  R = function(key, first) return redis.call('LRANGE', key, ARGV[first], ARGV[first + 1]) end,
}

local fence = redis.call('GET', KEYS[1])
local answers = {fence}
if fence ~= ARGV[1] then return answers end
local at = 2
while at <= #ARGV do
  local code, key, count = ARGV[at], KEYS[tonumber(ARGV[at + 1])], tonumber(ARGV[at + 2])
  answers[#answers + 1] = READS[code](key, at + 3, at + 2 + count)
  at = at + 3 + count
end
return answers
