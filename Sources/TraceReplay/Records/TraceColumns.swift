/// What a trace may say about a line besides its key.
package struct TraceColumns: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let operations = TraceColumns(rawValue: 1)
  package static let weights = TraceColumns(rawValue: 2)
  package static let lifetimes = TraceColumns(rawValue: 4)
  package static let times = TraceColumns(rawValue: 8)
  package static let all: TraceColumns = [.operations, .weights, .lifetimes, .times]

  private static let names: [(TraceColumns, String)] = [
    (.operations, "operations"), (.weights, "sizes"), (.lifetimes, "lifetimes"),
    (.times, "times"),
  ]

  /// The columns in words: "operations, sizes".
  package var names: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
