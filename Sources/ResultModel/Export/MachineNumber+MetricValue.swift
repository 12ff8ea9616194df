package import Text

extension MachineNumber {
  /// The shortest text that reads back as the same value; whole numbers have no point.
  package static func text(_ value: MetricValue) throws(NotFinite) -> String {
    switch value {
    case .integer(let value): return String(value)
    case .real(let value): return try text(value)
    }
  }

  /// The value that `text(_:)` wrote, and nothing else.
  package static func value(_ text: String) -> MetricValue? {
    value(text, whole: MetricValue.integer, real: MetricValue.real)
  }
}
