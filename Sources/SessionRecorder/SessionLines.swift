import CacheModel
import NormalizedCache
import RecordingCodec
import Text

/// Makes lines of the recording format from operations; one value for each file.
///
/// Lists are written as they were shown, so that neither fields nor rules are needed: each query of the app is about
/// an object of the recorder's own type `list`.
struct SessionLines {
  let outline: SessionOutline
  let options: RecorderOptions
  /// The time at which the file begins to count, and how long the content of the cache is read before.
  let origin: Instant
  let warmUp: Int64

  private var json = JSONWriter()
  private(set) var lineCount = 0
  var library: LibraryID?
  var last: Int64 = 0
  var objects: [EntityKey: UInt32] = [:]
  private var lists: [QueryKey: UInt32] = [:]
  private var queries: UInt32 = 0
  private var objectCount: UInt32 = 0
  private(set) var mutations: UInt32 = 0
  /// The numbers of the states in the file so far.
  private var states: [KnownVersion: UInt32] = [:]
  /// The rows of each query that were written last.
  var shown: [QueryKey: [RecordedRow]] = [:]
  /// The requests without an answer yet, and their times.
  var fetches: [FetchID: (target: FetchTarget, asked: Int64)] = [:]
  var lastPlace: StreamPosition?
  /// The last stream position in an answer to a write, before its event.
  var answered: StreamPosition?
  var held: Int64 = 0
  /// The shortest round trip, their sum and their number, for the header's `network`.
  var shortest = Int64.max
  var waited: Int64 = 0
  var answers: Int64 = 0
  /// Operations that the format cannot express.
  var withoutPlace = 0

  private struct KnownVersion: Hashable {
    var object: UInt32
    var version: Version
  }

  init(_ outline: SessionOutline, _ options: RecorderOptions, begun: Instant, held: Int) {
    self.outline = outline
    self.options = options
    // Each query of the cache takes two times, and a time is left on either side.
    warmUp = held == 0 ? 0 : Int64(held) * 4 + 4
    origin = begun.advanced(byNanoseconds: -warmUp - 1)
  }

  /// The bytes since the last call, in whole lines.
  mutating func take() -> [UInt8] {
    defer { json = JSONWriter() }
    return json.bytes
  }

  mutating func write(_ line: RecordingLine) {
    lineCount += 1
    line.write(into: &json)
  }

  // MARK: The first lines

  /// The first lines below the header.
  mutating func begin() {
    var client = ClientLine()
    client.name = "app"
    write(.client(client))
  }

  mutating func object(_ key: EntityKey) -> UInt32? {
    if let known = objects[key] { return known }
    guard let type = outline.type(key.type) else { return nil }
    let id =
      options.identifiers == .kept ? key.id : UniqueID(high: 0, low: UInt64(objectCount) + 1)
    objects[key] = object(name(ofType: type), id)
    return objects[key]
  }

  private mutating func object(_ type: String, _ id: UniqueID) -> UInt32 {
    write(.object(ObjectLine(type: type, id: id.description)))
    objectCount += 1
    return objectCount - 1
  }

  mutating func query(_ key: QueryKey) -> UInt32? {
    if let known = lists[key] { return known }
    guard let method = outline.method(key.method), library == nil || key.library == library else {
      return nil
    }
    library = key.library
    let plan = outline.limit(key)
    var line = QueryLine()
    line.limit = plan.rows.map { UInt32(clamping: $0) } ?? .max
    if plan.isCacheable {
      line.name = name(ofMethod: method)
      line.subject = object(Self.list, UniqueID(high: .max, low: UInt64(queries)))
    } else {
      line.name = Self.uncached
      line.typed = Self.letters(of: queries)
    }
    write(.query(line))
    lists[key] = queries
    queries += 1
    return lists[key]
  }

  private static func letters(of number: UInt32) -> String {
    var letters = ""
    var rest = number
    repeat {
      letters.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + UInt8(rest % 26)))
      rest /= 26
    } while rest > 0
    return letters
  }

  /// The number of a state that is in the file.
  func state(_ object: UInt32, _ version: Version) -> UInt32? {
    states[KnownVersion(object: object, version: version)]
  }

  /// A state as an item of a mutation: whole, unless an earlier line has it.
  mutating func item(_ object: UInt32, _ row: RecordedRow) -> RecordedItem {
    let number = UInt32(clamping: states.count)
    let name = KnownVersion(object: object, version: row.version)
    if let known = states[name] { return .known(known) }
    states[name] = number
    return .state(
      RecordedState(object: object, version: row.version, bytes: Int32(clamping: max(0, row.bytes)))
    )
  }

  /// Writes the states of rows that are not in the file yet.
  mutating func tell(of rows: [RecordedRow], at time: Int64) {
    var line = MutationLine()
    for row in rows {
      guard let object = object(row.key), state(object, row.version) == nil else { continue }
      line.items.append(item(object, row))
      line.bytes += max(0, row.bytes)
    }
    guard !line.items.isEmpty else { return }
    line.kind = line.items.count == 1 ? .changed : .batch
    write(line, at: time)
  }

  mutating func write(_ mutation: MutationLine, at time: Int64) {
    var mutation = mutation
    mutation.at = Instant(nanoseconds: time)
    write(.mutation(mutation))
    mutations += 1
  }

  // MARK: The header

  private static let list = "list"
  private static let uncached = "uncached"

  /// The first line, always of the same length, so that it can be overwritten.
  var header: [UInt8] {
    let extra = answers == 0 ? 0 : waited / answers - min(shortest, waited / answers)
    let bytes = header(
      duration: max(last, warmUp + 1), roundTrip: answers == 0 ? 0 : shortest, extra: extra)
    let longest = header(duration: .max / 4, roundTrip: .max / 4, extra: .max / 4).count
    return bytes.dropLast() + [UInt8](repeating: UInt8(ascii: " "), count: longest - bytes.count)
      + [UInt8(ascii: "\n")]
  }

  private func header(duration: Int64, roundTrip: Int64, extra: Int64) -> [UInt8] {
    var header = RecordingHeader()
    (header.name, header.policy) = (options.name, options.name)
    header.duration = duration
    header.warmUp = warmUp
    let library = library?.rawValue ?? UniqueID(high: 0, low: 0)
    header.library =
      (options.identifiers == .kept ? library : UniqueID(high: 0, low: 0)).description
    header.network.minimumRoundTrip = roundTrip
    header.network.meanExtra = extra
    header.retention.events = 1_000_000_000
    header.retention.age = .max / 4
    header.tellsPlaces = true
    header.model = model
    var json = JSONWriter()
    RecordingCodec.write(header, to: &json)
    return json.bytes
  }

  private var model: RecordedModel {
    let names = outline.types.indices.map { name(ofType: $0) }
    var model = RecordedModel()
    model.types = [RecordedType(Self.list)]
    for name in names {
      model.types.append(
        RecordedType(
          name, [RecordedField(Self.list, .reference, to: Self.list), RecordedField("word", .text)])
      )
    }
    var listed = RecordedCondition()
    (listed.field, listed.isWord) = (Self.list, "subject")
    model.queries = outline.methods.indices.map { method in
      RecordedQuery(
        name(ofMethod: method), outline.methods[method].lists.map { names[$0] }, [listed])
    }
    var typed = RecordedCondition()
    (typed.field, typed.begins) = ("word", "typed")
    var uncached = RecordedQuery(Self.uncached, names, [typed])
    uncached.cachedFrom = 12
    model.queries.append(uncached)
    return model
  }

  /// The name of a type in the file: its number, or the number with the app's name.
  func name(ofType place: Int) -> String {
    outline.types[place].written("type", byName: options.namesTypes)
  }

  private func name(ofMethod place: Int) -> String {
    outline.methods[place].kind.written("method", byName: options.namesTypes)
  }
}
