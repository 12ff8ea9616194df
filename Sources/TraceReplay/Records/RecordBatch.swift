package import EvictionPolicies
import Text

/// Records between a decoder and a consumer.
///
/// Decoders and consumers are independent, and exchange only batches, without a call per record. A batch is
/// cleared and filled again, without allocations.
struct RecordBatch: Sendable {
  /// The integer keys; for a text, its start in ``text``.
  private(set) var keys: [UInt64] = []
  /// The length of a text, 0 for an integer; empty if all keys are integers.
  private(set) var lengths: [UInt32] = []
  /// The concatenated bytes of the texts.
  private(set) var text: [UInt8] = []
  /// The values besides keys; empty if every record has the defaults.
  private(set) var records: [TraceRecord] = []

  var count: Int { keys.count }

  /// The number of lines that the records represent, at most 2⁴⁰.
  var lines: Int {
    guard !records.isEmpty else { return keys.count }
    var sum = 0
    for record in records { sum = min(1 << 40, sum + record.count) }
    return sum
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
  }

  mutating func append(_ key: UInt64) {
    keys.append(key)
    if !lengths.isEmpty { lengths.append(0) }
    if !records.isEmpty { records.append(TraceRecord()) }
  }

  mutating func append(_ key: UInt64, _ record: TraceRecord) {
    startRecords()
    keys.append(key)
    if !lengths.isEmpty { lengths.append(0) }
    records.append(record)
  }

  /// Appends a text; a canonical decimal becomes an integer, since a key has at most one canonical form.
  mutating func append(_ key: Span<UInt8>, _ record: TraceRecord? = nil) {
    if record != nil { startRecords() }
    if let integer = DecimalDigits.canonical(key) {
      keys.append(integer)
      if !lengths.isEmpty { lengths.append(0) }
    } else {
      if lengths.isEmpty {
        lengths.append(contentsOf: repeatElement(0, count: keys.count))
      }
      keys.append(UInt64(text.count))
      lengths.append(UInt32(key.count))
      for index in key.indices { text.append(key[index]) }
    }
    if let record {
      records.append(record)
    } else if !records.isEmpty {
      records.append(TraceRecord())
    }
  }

  /// Appends this many integers with default values.
  @inline(__always)
  mutating func append(count: Int, _ integer: (Int) -> UInt64) {
    precondition(lengths.isEmpty && records.isEmpty, "a batch of another form")
    let former = keys.count
    keys.append(contentsOf: repeatElement(0, count: count))
    var places = keys.mutableSpan
    for index in 0..<count { places[former + index] = integer(index) }
  }

  /// Returns the record's values besides its key.
  subscript(index: Int) -> TraceRecord { records.isEmpty ? TraceRecord() : records[index] }

  /// Returns whether the key is a text, available as ``text(at:)``; otherwise it is `keys[index]`.
  func isText(at index: Int) -> Bool { !lengths.isEmpty && lengths[index] > 0 }

  /// Returns the range of the key in ``text``.
  func text(at index: Int) -> Range<Int> {
    let start = Int(keys[index])
    return start..<start + Int(lengths[index])
  }

  private mutating func startRecords() {
    guard records.isEmpty, !keys.isEmpty else { return }
    records.append(contentsOf: repeatElement(TraceRecord(), count: keys.count))
  }
}

/// The values of one record besides its key; unknown ones have the defaults.
package struct TraceRecord: Hashable, Sendable, BitwiseCopyable {
  package var operation = TraceOperation.get
  /// The size in bytes; 0: unknown.
  package var weight: Int32 = 0
  /// The lifetime in nanoseconds; 0: none.
  package var lifetime: Int64 = 0
  /// The time in nanoseconds, from any origin.
  package var time: Int64 = 0
  /// The number of lines that the record represents.
  package var count = 1
  /// Whether these lines have consecutive integer keys, rather than one key.
  package var isRun = false
}

package enum TraceKey: Hashable, Sendable {
  case integer(UInt64)
  /// Any bytes, at least one, except a canonical decimal of 64 bits.
  case text(ArraySlice<UInt8>)

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
  /// Returns the key as a field of a format without quotes.
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
  /// The columns with values other than the default.
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

/// The possible columns of a trace besides keys.
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

/// The names of operations in traces.
///
/// They are the names of memcached's protocol, of storage traces and of our own formats, case-insensitively.
enum OperationName {
  static let all: [(operation: TraceOperation, names: [String])] = [
    (.get, ["get", "gets", "read", "r", "get_lease"]),
    (
      .set,
      [
        "set", "put", "write", "w", "add", "replace", "cas", "append", "prepend", "incr", "decr",
        "set_lease",
      ]
    ),
    (.update, ["update", "invalidate"]),
    (.delete, ["delete", "del", "remove"]),
  ]

  /// The names as bytes, since a trace has an operation on every line.
  private static let bytes: [(operation: TraceOperation, name: [UInt8])] = all.flatMap { entry in
    entry.names.map { (entry.operation, Array($0.utf8)) }
  }

  /// Returns the operation with a name; `nil` if there is none.
  static func operation(_ text: Span<UInt8>) -> TraceOperation? {
    for (operation, name) in bytes where equals(name, text) { return operation }
    return nil
  }

  static var known: String { all.flatMap(\.names).joined(separator: ", ") }

  private static func equals(_ name: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard name.count == text.count else { return false }
    for index in text.indices {
      let byte = text[index]
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      guard name[index] == (isUpper ? byte | 0x20 : byte) else { return false }
    }
    return true
  }
}
