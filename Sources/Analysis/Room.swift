import CacheModel
