-- A partition's fence and a piece of its outbox in one cut. The caller asks for further pieces and
-- begins anew when the fence has changed between two of them.
--
-- KEYS   fence, outbox
-- ARGV   index of the first entry wanted, bytes after which no further entries are added
-- Returns {fence found (or false), number of entries in the outbox, entries}

local CHUNK = 32 -- entries are at most some 2 MB each

local entries, bytes = {}, 0
local start = tonumber(ARGV[1])
local length = redis.call('LLEN', KEYS[2])
while start < length and bytes < tonumber(ARGV[2]) do
  for _, entry in ipairs(redis.call('LRANGE', KEYS[2], start, start + CHUNK - 1)) do
    entries[#entries + 1] = entry
    bytes = bytes + #entry
  end
  start = start + CHUNK
end
return {redis.call('GET', KEYS[1]), length, entries}
