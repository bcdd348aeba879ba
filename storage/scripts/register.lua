-- The namespace's record, written once.
--
-- KEYS   the record (hash)
-- ARGV   field value ...
-- Returns 1 when written, 0 when there was one already.

if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
