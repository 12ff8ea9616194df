// An app has the rules, limits, statistics and errors of the cache with the cache, and the words of its
// interface: keys, versions, events, compositions.
@_exported public import NormalizedCacheCore
