package import EvictionPolicies
import Text

/// Some records on their way from a decoder to what uses them.
///
/// Between the two a batch is all there is: a decoder knows no consumer, a consumer no format, and
/// neither is called per record. Cleared and filled again, it allocates nothing.
struct RecordBatch: Sendable {
  /// Integer keys; for a text, where it begins in ``text``.
  private(set) var keys: [UInt64] = []
  /// The length of a text, 0 for an integer; empty as long as all keys are integers.
  private(set) var lengths: [UInt32] = []
  /// The bytes of the texts, one after the other.
  private(set) var text: [UInt8] = []
  /// Empty as long as every record has the defaults.
  private(set) var records: [TraceRecord] = []

  var count: Int { keys.count }

  /// How many lines the records stand for, at most 2⁴⁰.
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

  /// Takes a text; a canonical decimal is the integer, since a key has one canonical form or none.
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

  /// Takes so many integers without more to say about them.
  @inline(__always)
  mutating func append(count: Int, _ integer: (Int) -> UInt64) {
    precondition(lengths.isEmpty && records.isEmpty, "a batch of another form")
    let former = keys.count
    keys.append(contentsOf: repeatElement(0, count: count))
    var places = keys.mutableSpan
    for index in 0..<count { places[former + index] = integer(index) }
  }

  /// What the record says besides its key.
  subscript(index: Int) -> TraceRecord { records.isEmpty ? TraceRecord() : records[index] }

  /// Whether the key is a text, which is then ``text(at:)``; else it is `keys[index]`.
  func isText(at index: Int) -> Bool { !lengths.isEmpty && lengths[index] > 0 }

  /// Where in ``text`` the key stands.
  func text(at index: Int) -> Range<Int> {
    let start = Int(keys[index])
    return start..<start + Int(lengths[index])
  }

  private mutating func startRecords() {
    guard records.isEmpty, !keys.isEmpty else { return }
    records.append(contentsOf: repeatElement(TraceRecord(), count: keys.count))
  }
}

/// What one record of a trace says about its key; what it does not say has the default.
package struct TraceRecord: Hashable, Sendable, BitwiseCopyable {
  package var operation = TraceOperation.get
  /// Bytes; 0: not known.
  package var weight: Int32 = 0
  /// Nanoseconds; 0: none.
  package var lifetime: Int64 = 0
  /// Nanoseconds, from any origin.
  package var time: Int64 = 0
  /// How many lines the record stands for.
  package var count = 1
  /// Whether these lines name integer keys that follow each other, rather than one key.
  package var isRun = false

  package init(
    operation: TraceOperation = .get, weight: Int32 = 0, lifetime: Int64 = 0, time: Int64 = 0,
    count: Int = 1, isRun: Bool = false
  ) {
    self.operation = operation
    self.weight = weight
    self.lifetime = lifetime
    self.time = time
    self.count = count
    self.isRun = isRun
  }
}

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

/// What traces call operations.
///
/// The names of memcached's protocol, of storage traces and of our own; case does not matter.
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

  /// The same as bytes, since a trace names an operation on every line.
  private static let bytes: [(operation: TraceOperation, name: [UInt8])] = all.flatMap { entry in
    entry.names.map { (entry.operation, Array($0.utf8)) }
  }

  /// `nil` for a name that no operation has.
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
