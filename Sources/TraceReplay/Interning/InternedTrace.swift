/// A trace whose keys are numbered from 0 in the order of their first appearance.
package struct InternedTrace: Hashable, Sendable {
  package let name: String
  /// One number per request, each below ``distinct``.
  package let ids: [UInt32]
  /// How many keys the trace names.
  package let distinct: Int
}
