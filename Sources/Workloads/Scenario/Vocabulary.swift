/// Names that rooms above or beside this one know, so that a scenario can be checked against them
/// with file, line and column.
package struct Vocabulary: Sendable {
  /// The eviction orders; `nil`: not checked.
  package var evictionOrders: [String]?
  /// The eviction orders that look ahead, which no cache can: named only to be refused.
  package var clairvoyantOrders: [String]
  /// The admissions in front of them; `nil`: not checked.
  package var admissions: [String]?

  package init(
    evictionOrders: [String]?, clairvoyantOrders: [String] = [],
    admissions: [String]? = nil
  ) {
    self.evictionOrders = evictionOrders
    self.clairvoyantOrders = clairvoyantOrders
    self.admissions = admissions
  }

  /// The lists of names that may stand for a value.
  package enum Names: Hashable, Sendable {
    case evictionOrders, admissions
  }

  /// The names of a list; `nil`: not checked.
  package subscript(names: Names) -> [String]? {
    switch names {
    case .evictionOrders: evictionOrders
    case .admissions: admissions
    }
  }

  /// Checks nothing that lies outside this room.
  package static let unchecked = Vocabulary(evictionOrders: nil)
}
