-- The namespace's record, changed by one of several that may try.
--
-- KEYS   the record (hash)
-- ARGV   a field, its value as it must be ('' for none), then field value ...
-- Returns 1 when written, 0 when the field has another value, or there is no record.

if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
return 1
