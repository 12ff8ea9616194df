import CacheModel

/// The appearance of each policy in all charts of a report: a colour, a dash and a marker.
///
/// The colours are those of Okabe and Ito ("Color universal design", 2008), which colour-blind people can
/// distinguish. There are seven of them, so dash and marker distinguish policies of one colour.
struct PolicyLooks: Sendable {
  /// The appearance of one policy, as classes of the style sheet.
  struct Look: Hashable, Sendable {
    let color: Int
    let dash: Int
    let marker: Int
    /// A reference, which does not compete, is grey.
    let isBound: Bool

    static let bound = Look(color: 0, dash: 2, marker: 0, isBound: true)

    var line: String { isBound ? "ln bd" : "ln k\(color) d\(dash)" }
    /// The class of a mark or a text.
    var ink: String { isBound ? "bd" : "k\(color)" }
    var symbol: Anchor { Self.symbols[marker] }

    static let symbols = [
      Anchor("m0"), Anchor("m1"), Anchor("m2"), Anchor("m3"), Anchor("m4"), Anchor("m5"),
      Anchor("m6"),
    ]
  }

  private static let colors = 7
  private static let dashes = 3
  /// Policies of most reports, which look the same in each.
  private static let usual = ["lru", "refcount", "ttl", "spacedrive"]

  // Looked up, never iterated.
  private let places: [String: Int]

  /// - Parameter policies: all policies of the report, without duplicates, in order.
  init(_ policies: [String]) {
    let others = policies.filter {
      !Self.usual.contains($0) && !Preset.namesOfBounds.contains($0)
    }
    let order = Self.usual + others
    places = Dictionary(
      order.indices.map { (order[$0], $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(policy: String) -> Look {
    guard let place = places[policy] else { return .bound }
    let round = place / Self.colors
    return Look(
      color: place % Self.colors, dash: round % Self.dashes, marker: (place + round) % 7,
      isBound: false)
  }

  /// The definitions of markers, centred at the origin.
  static let definitions = Node.tag(
    "svg", [.class("defs"), Attribute("aria-hidden", "true")],
    [
      symbol(0, "M-3.2 0A3.2 3.2 0 1 0 3.2 0A3.2 3.2 0 1 0-3.2 0"),
      symbol(1, "M-2.9-2.9H2.9V2.9H-2.9Z"),
      symbol(2, "M0-3.8L3.6 2.8H-3.6Z"),
      symbol(3, "M0-4L4 0L0 4L-4 0Z"),
      symbol(4, "M0 3.8L3.6-2.8H-3.6Z"),
      symbol(5, "M-1.3-3.7H1.3V-1.3H3.7V1.3H1.3V3.7H-1.3V1.3H-3.7V-1.3H-1.3Z"),
      symbol(6, "M-3.6-2L0-4L3.6-2V2L0 4L-3.6 2Z"),
    ])

  private static func symbol(_ index: Int, _ path: String) -> Node {
    .tag(
      "defs", [],
      [.tag("path", [.id(Look.symbols[index]), Attribute("d", path)])])
  }
}
