/// The part of an entity that lists show which show no more.
///
/// It has the fields by which lists choose and order their rows besides, though they are not looked at there.
package struct EntitySummary: Hashable, Sendable {
  /// What is seen of it, as places of the type's fields, in their order.
  package var fields: [Int]
  package var size: Size

  package init(fields: [Int], size: Size) {
    self.fields = fields
    self.size = size
  }

  /// As compact JSON.
  package enum Size: Hashable, Sendable {
    case fixed(Int)
    /// A share of the whole's.
    case share(millionths: Int)
  }

  /// The bytes of the summary of an entity of so many: at least one, and no more than the whole.
  package func bytes(ofWhole bytes: Int) -> Int {
    switch size {
    case .fixed(let size): min(size, bytes)
    case .share(let millionths):
      min(max((bytes * millionths + 500_000) / 1_000_000, 1), bytes)
    }
  }
}
