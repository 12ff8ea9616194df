import EvictionPolicies

/// The key of a line.
package enum TraceKey: Hashable, Sendable {
  case integer(UInt64)
  /// Any bytes, at least one, which are no canonical decimal of 64 bits.
  case text(ArraySlice<UInt8>)

  /// The integer that a key is.
  func integer(upTo limit: UInt64) throws(EncodingFault) -> UInt64 {
    switch self {
    case .integer(let integer):
      guard integer <= limit else { throw .key("\(integer) is above \(limit)") }
      return integer
    case .text(let text):
      throw .key("'\(String(decoding: text.prefix(40), as: UTF8.self))' is not a whole number")
    }
  }
}

extension TraceKey {
  /// The key as a field of a format that knows no quotes.
  func plainField() throws(EncodingFault) -> [UInt8] {
    switch self {
    case .integer(let integer): return Array(String(integer).utf8)
    case .text(let text):
      let isPlain = text.allSatisfy { byte in
        byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: ",")
          && byte != UInt8(ascii: "\"")
      }
      guard isPlain else {
        throw .key("it needs quotes, which readers of this format do not know")
      }
      return Array(text)
    }
  }
}

extension TraceRecord {
  /// What the record says that is not the default.
  var columns: TraceColumns {
    var columns: TraceColumns = []
    if operation != .get { columns.insert(.operations) }
    if weight != 0 { columns.insert(.weights) }
    if lifetime != 0 { columns.insert(.lifetimes) }
    if time != 0 { columns.insert(.times) }
    return columns
  }

  func requireNothingBesides(_ known: TraceColumns) throws(EncodingFault) {
    let lost = columns.subtracting(known)
    guard lost.isEmpty else { throw .column(lost) }
  }
}
