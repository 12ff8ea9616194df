// An app that imports the cache has the words of its interface: keys, versions, events, compositions.
@_exported public import CacheModel
