import EvictionPolicies

/// Collects the columns of a trace, with keys numbered by a ``KeyTable``.
///
/// The columns besides keys begin with their first known value, so that a trace with keys only takes four
/// bytes per line.
struct KeyInterner: Sendable {
  private(set) var ids: [UInt32] = []
  private(set) var operations: [TraceOperation] = []
  private(set) var weights: [Int32] = []
  private(set) var lifetimes: [Int64] = []
  private(set) var times: [Int64] = []

  /// How many gets came by, in the sample or not.
  private(set) var gets = 0

  private let limits: TraceLimits
  private let sampling: KeySampling?
  private var keys = KeyTable()

  var distinct: Int { keys.count }

  init(limits: TraceLimits, sampling: KeySampling? = nil) {
    self.limits = limits
    self.sampling = sampling
  }

  /// Reserves memory for this many lines, if it is available.
  ///
  /// - Throws: ``TraceError/tooMuchMemory(requests:needed:limit:)``, or for more requests than the maximum.
  mutating func reserve(lines: Int, columns: TraceColumns) throws(TraceError) {
    guard lines <= limits.requests else { throw .tooManyRequests(limit: limits.requests) }
    var bytesPerLine = 4
    if columns.contains(.operations) { bytesPerLine += 1 }
    if columns.contains(.weights) { bytesPerLine += 4 }
    if columns.contains(.lifetimes) { bytesPerLine += 8 }
    if columns.contains(.times) { bytesPerLine += 8 }
    let (bytes, overflow) = lines.multipliedReportingOverflow(by: bytesPerLine)
    guard !overflow, bytes <= limits.memoryBytes else {
      throw .tooMuchMemory(
        requests: lines, needed: overflow ? .max : bytes, limit: limits.memoryBytes)
    }
    ids.reserveCapacity(lines)
  }

  /// Throws before memory would exceed the limit: a full column is copied into one of twice its size.
  private func checkMemory(adding count: Int) throws(TraceError) {
    guard limits.memoryBytes < .max else { return }
    func bytes<Value>(_ column: [Value]) -> Int {
      let (room, size) = (column.capacity, MemoryLayout<Value>.size)
      let next = max(room * 2, column.count + count)
      return column.isEmpty || column.count + count <= room ? room * size : (room + next) * size
    }
    let needed =
      max(bytes(ids), 4 * count) + bytes(operations) + bytes(weights) + bytes(lifetimes)
      + bytes(times)
      + keys.bytesToGrow
    guard needed <= limits.memoryBytes else {
      throw .tooMuchMemory(requests: ids.count, needed: needed, limit: limits.memoryBytes)
    }
  }

  mutating func append(_ batch: RecordBatch) throws(TraceError) {
    try checkMemory(adding: sampling == nil ? batch.lines : batch.count)
    if let sampling {
      try append(batch, sampling)
      return
    }
    if batch.records.isEmpty {
      guard ids.count + batch.count <= limits.requests else {
        throw .tooManyRequests(limit: limits.requests)
      }
      try keys.number(batch, to: &ids)
      padColumns()
      return
    }
    for index in 0..<batch.count {
      let record = batch.records[index]
      guard record.count <= limits.requests - ids.count else {
        throw .tooManyRequests(limit: limits.requests)
      }
      if record.isRun {
        for offset in 0..<UInt64(record.count) {
          ids.append(try keys.number(of: batch.keys[index] &+ offset))
        }
      } else {
        let number = try keys.number(of: index, in: batch)
        ids.append(contentsOf: repeatElement(number, count: record.count))
      }
      note(record)
    }
  }

  /// Takes what was gathered of the lines that follow, whose keys are numbered anew.
  mutating func append(_ later: KeyInterner) throws(TraceError) {
    guard later.ids.count <= limits.requests - ids.count else {
      throw .tooManyRequests(limit: limits.requests)
    }
    let former = ids.count
    func extend<Value>(_ column: inout [Value], by other: [Value], absent: Value) {
      guard !column.isEmpty || !other.isEmpty else { return }
      column.append(contentsOf: repeatElement(absent, count: former - column.count))
      column.append(contentsOf: other)
    }
    extend(&operations, by: later.operations, absent: .get)
    extend(&weights, by: later.weights, absent: 0)
    extend(&lifetimes, by: later.lifetimes, absent: 0)
    extend(&times, by: later.times, absent: 0)
    let numbers = try keys.append(later.keys)
    ids.append(contentsOf: later.ids.lazy.map { numbers[Int($0)] })
    gets += later.gets
    padColumns()
  }

  /// Takes the records whose keys are chosen, one line at a time.
  private mutating func append(
    _ batch: RecordBatch, _ sampling: KeySampling
  ) throws(TraceError) {
    for index in 0..<batch.count {
      var record = batch[index]
      let (count, isRun) = (record.count, record.isRun)
      if record.operation == .get { gets += count }
      record.count = 1
      for repetition in 0..<UInt64(count) {
        let number: UInt32
        if batch.isText(at: index) {
          guard sampling.chooses(batch.text.span.extracting(batch.text(at: index))) else { break }
          number = try keys.number(of: index, in: batch)
        } else {
          let key = batch.keys[index] &+ (isRun ? repetition : 0)
          guard sampling.chooses(key) else {
            if isRun { continue } else { break }
          }
          number = try keys.number(of: key)
        }
        guard ids.count < limits.requests else { throw .tooManyRequests(limit: limits.requests) }
        ids.append(number)
        note(record)
      }
    }
  }

  /// Appends a record's values besides its key, whose lines are in ``ids`` already.
  private mutating func note(_ record: TraceRecord) {
    let former = ids.count - record.count
    func extend<Value: Equatable>(_ column: inout [Value], by value: Value, absent: Value) {
      if column.isEmpty {
        guard value != absent else { return }
        column.append(contentsOf: repeatElement(absent, count: former))
      }
      column.append(contentsOf: repeatElement(value, count: record.count))
    }
    extend(&operations, by: record.operation, absent: .get)
    extend(&weights, by: record.weight, absent: 0)
    extend(&lifetimes, by: record.lifetime, absent: 0)
    extend(&times, by: record.time, absent: 0)
  }

  /// Extends columns that have begun to the length of ``ids``.
  private mutating func padColumns() {
    func pad<Value>(_ column: inout [Value], with absent: Value) {
      guard !column.isEmpty else { return }
      column.append(contentsOf: repeatElement(absent, count: ids.count - column.count))
    }
    pad(&operations, with: .get)
    pad(&weights, with: 0)
    pad(&lifetimes, with: 0)
    pad(&times, with: 0)
  }
}

/// Numbers keys from 0 by first appearance, exactly: two have the same number only if all bytes are equal.
struct KeyTable: Sendable {
  private(set) var count = 0

  private var integers = IntegerTable()
  private var strings = ByteTable()

  /// The maximum number of keys: slots are signed 32-bit integers, and a list of them has one more.
  private static let limit = Int(Int32.max) - 1
  /// How many keys ahead their memory is prefetched.
  private static let lookahead = 16

  /// Returns the number of a record's key.
  mutating func number(of index: Int, in batch: RecordBatch) throws(TraceError) -> UInt32 {
    guard batch.isText(at: index) else { return try number(of: batch.keys[index]) }
    return try note(
      strings.number(
        of: batch.text.span.extracting(batch.text(at: index)),
        ifNew: UInt32(truncatingIfNeeded: count)))
  }

  mutating func number(of key: UInt64) throws(TraceError) -> UInt32 {
    try note(integers.number(of: key, ifNew: UInt32(truncatingIfNeeded: count)))
  }

  mutating func number(_ batch: RecordBatch, to ids: inout [UInt32]) throws(TraceError) {
    guard batch.lengths.isEmpty, batch.count < Self.limit - count else {
      for index in 0..<batch.count { ids.append(try number(of: index, in: batch)) }
      return
    }
    number(batch.keys, to: &ids)
  }

  /// Appends the numbers of integer keys, for which there is room.
  private mutating func number(_ keys: [UInt64], to ids: inout [UInt32]) {
    for key in keys.prefix(Self.lookahead) { integers.prefetch(key) }
    let former = ids.count
    // Room for all at once, since appending one by one asks for it each time.
    ids.append(contentsOf: repeatElement(0, count: keys.count))
    var numbers = ids.mutableSpan
    for index in keys.indices {
      if index + Self.lookahead < keys.count { integers.prefetch(keys[index + Self.lookahead]) }
      let number = integers.number(of: keys[index], ifNew: UInt32(truncatingIfNeeded: count))
      if Int(number) == count { count += 1 }
      numbers[former + index] = number
    }
  }

  /// Takes the keys of another table in the order of their numbers.
  ///
  /// - Returns: the numbers that they have here, by those that they had.
  mutating func append(_ later: KeyTable) throws(TraceError) -> [UInt32] {
    var batch = RecordBatch()
    var texts = later.strings.entries[...]
    for (number, integer) in later.integers.keys(numberedBelow: later.count).enumerated() {
      if let text = texts.first, Int(text.number) == number {
        texts.removeFirst()
        batch.append(later.strings.bytes.span.extracting(text.range))
      } else {
        batch.append(integer)
      }
    }
    var numbers: [UInt32] = []
    try self.number(batch, to: &numbers)
    return numbers
  }

  /// The memory of the tables in bytes while the fuller one grows.
  var bytesToGrow: Int { integers.bytesToGrow + strings.bytesToGrow }

  private mutating func note(_ number: UInt32) throws(TraceError) -> UInt32 {
    guard Int(number) == count else { return number }
    guard count < Self.limit else { throw .tooManyKeys(limit: Self.limit) }
    count += 1
    return number
  }
}
