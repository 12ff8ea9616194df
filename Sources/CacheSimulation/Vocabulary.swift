// Who simulates a cache or a policy of its own has the words for it: instants and versions, policies,
// metrics and rows.
@_exported public import CacheModel
@_exported public import EvictionPolicies
@_exported public import ResultModel
