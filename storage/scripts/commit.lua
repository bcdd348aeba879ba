-- Commits of one or several partitions: for each, all of it or nothing, and only if its fence is
-- the expected value. A commit that is refused does not touch the others.
--
-- KEYS   every key of every commit, each once. On a cluster one call holds one partition's keys.
--          fence            string   replaced last: whoever sees the new fence sees all of it
--          others           string | hash | zset | list, as the operations below need them
-- ARGV   number of commits; for each commit
--          index of the fence's key in KEYS, expected fence, new fence, number of operations;
--          for each operation: code, index of its key in KEYS, number of arguments n, n arguments
--            S  set a string                 value [milliseconds to live]
--            D  delete a key of any type
--            H  set fields of a hash         field value ...
--            h  delete fields of a hash      field ...
--            Z  put members in a sorted set  score member ...
--            z  remove members               member ...
--            R  append to a list             value ...
--            L  remove the head of a list    number of entries
-- Returns one array a commit
--   {1}               written
--   {0, found}        the fence is another (found: its value, or false); nothing written
--   {-1, text}        a key has the wrong type; nothing written
--   {-2, text, done}  an operation failed after `done` others were written
--
-- All types are checked before the first write, because Redis does not roll back: what a later
-- error leaves behind stays. When memory is full, Redis refuses what adds data only as the first
-- write of a script; so a commit of removals goes through, its fence included.

local TYPES = {
  S = 'string', H = 'hash', h = 'hash', Z = 'zset', z = 'zset', R = 'list', L = 'list',
}
local CHUNK = 1000 -- Lua's stack holds some 8,000 values; even, so that pairs stay together

local function in_chunks(command, key, first, last)
  for start = first, last, CHUNK do
    local stop = math.min(start + CHUNK - 1, last)
    local result = redis.pcall(command, key, unpack(ARGV, start, stop))
    if type(result) == 'table' and result.err then return result end
  end
end

local WRITES = {
  S = function(key, first, last)
    if last > first then
      return redis.pcall('SET', key, ARGV[first], 'PX', ARGV[last])
    end
    return redis.pcall('SET', key, ARGV[first])
  end,
  D = function(key) return redis.pcall('DEL', key) end,
  H = function(key, first, last) return in_chunks('HSET', key, first, last) end,
  h = function(key, first, last) return in_chunks('HDEL', key, first, last) end,
  Z = function(key, first, last) return in_chunks('ZADD', key, first, last) end,
  z = function(key, first, last) return in_chunks('ZREM', key, first, last) end,
  R = function(key, first, last) return in_chunks('RPUSH', key, first, last) end,
  L = function(key, first) return redis.pcall('LTRIM', key, ARGV[first], -1) end,
}

local function wrong_type(key, wanted)
  local found = redis.call('TYPE', key).ok
  if found ~= 'none' and found ~= wanted then
    return key .. ' is a ' .. found .. ', expected a ' .. wanted
  end
end

local at = 1
local function take()
  at = at + 1
  return ARGV[at - 1]
end

local ADDS = {S = true, H = true, Z = true, R = true}

local function take_commit()
  local commit = {fence = KEYS[tonumber(take())], expected = take(), new = take(), operations = {}}
  local count = tonumber(take())
  commit.adds = count == 0
  for number = 1, count do
    local code, key, arguments = take(), KEYS[tonumber(take())], tonumber(take())
    commit.operations[number] = {code = code, key = key, first = at, last = at + arguments - 1}
    commit.adds = commit.adds or ADDS[code]
    at = at + arguments
  end
  return commit
end

-- Why Redis takes no new data now, or nil: asked with a write that does nothing, because the key
-- exists, and before every other write.
local function refuses_data(commits)
  for _, commit in ipairs(commits) do
    if commit.adds and redis.call('EXISTS', commit.fence) == 1 then
      local result = redis.pcall('SETNX', commit.fence, '')
      return type(result) == 'table' and result.err or nil
    end
  end
end

local function refusal(commit)
  local wrong = wrong_type(commit.fence, 'string')
  if wrong then return {-1, wrong} end
  local found = redis.call('GET', commit.fence)
  if found ~= commit.expected then return {0, found} end
  local checked = {}
  for _, operation in ipairs(commit.operations) do
    local wanted = TYPES[operation.code]
    if wanted and not checked[operation.key] then
      wrong = wrong_type(operation.key, wanted)
      if wrong then return {-1, wrong} end
      checked[operation.key] = true
    end
  end
end

local function write(commit)
  local done = 0
  for _, operation in ipairs(commit.operations) do
    local result = WRITES[operation.code](operation.key, operation.first, operation.last)
    if type(result) == 'table' and result.err then
      return {-2, operation.key .. ': ' .. result.err, done}
    end
    done = done + 1
  end
  local result = redis.pcall('SET', commit.fence, commit.new)
  if result.err then return {-2, commit.fence .. ': ' .. result.err, done} end
  return {1}
end

local commits, results = {}, {}
for number = 1, tonumber(take()) do commits[number] = take_commit() end
local refused = refuses_data(commits)
for number, commit in ipairs(commits) do
  local problem = refusal(commit)
  if not problem and refused and commit.adds then
    problem = {-2, commit.fence .. ': ' .. refused, 0}
  end
  results[number] = problem or write(commit)
end
return results
