/// Why a line cannot be written in a format.
package enum EncodingFault: Error, Hashable, CustomStringConvertible {
  /// It says something that the format has no place for.
  case column(TraceColumns)
  /// The format has no way to write such a key.
  case key(String)
  /// A value is out of the format's range.
  case value(String)

  package var description: String {
    switch self {
    case .column(let columns):
      "it has \(columns.names), which the format has no place for; leave them out with --drop"
    case .key(let cause):
      "its key cannot be written: \(cause); number the keys with --number-keys"
    case .value(let cause):
      "\(cause); choose another format, or leave the column out with --drop"
    }
  }
}
