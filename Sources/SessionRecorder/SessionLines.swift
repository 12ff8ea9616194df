import CacheModel
import NormalizedCache
import Text

/// Makes lines of the recording format out of what happened; one value for each file.
///
/// Lists are written as they were shown, so that neither fields nor rules are needed: each query of the app
/// is about an object of a type of the recorder's own, `list`.
struct SessionLines {
  let outline: SessionOutline
  let options: RecorderOptions
  /// From which time on the file counts, and how long what the cache held is read before.
  let origin: Instant
  let warmUp: Int64

  private var json = JSONWriter()
  private(set) var lineCount = 0
  var library: LibraryID?
  var last: Int64 = 0
  var objects: [EntityKey: Int] = [:]
  var lists: [QueryKey: Int] = [:]
  var queries = 0
  var objectCount = 0
  var mutations = 0
  var knownVersions: Set<KnownVersion> = []
  /// What was written last of what each query listed.
  var shown: [QueryKey: [RecordedRow]] = [:]
  /// What is asked for and not answered yet, and since when.
  var fetches: [FetchID: (target: FetchTarget, asked: Int64)] = [:]
  var lastPlace: StreamPosition?
  /// The last place that the answer to a write told of, before its event.
  var answered: StreamPosition?
  var held: Int64 = 0
  /// The shortest round trip, their sum and their number, for what the header says of the network.
  var shortest = Int64.max
  var waited: Int64 = 0
  var answers: Int64 = 0
  /// Happenings for which there was no place.
  var withoutPlace = 0

  struct KnownVersion: Hashable {
    var object: Int
    var version: Version
  }

  /// - Parameters:
  ///   - outline: what is known of the app.
  ///   - options: how it is written down.
  ///   - begun: when the file began.
  ///   - held: how many queries the cache held then.
  init(_ outline: SessionOutline, _ options: RecorderOptions, begun: Instant, held: Int) {
    self.outline = outline
    self.options = options
    // Each query that was held takes two times, and a time is left on either side.
    warmUp = held == 0 ? 0 : Int64(held) * 4 + 4
    origin = begun.advanced(byNanoseconds: -warmUp - 1)
  }

  /// The bytes since the last call, in whole lines.
  mutating func take() -> [UInt8] {
    defer { json = JSONWriter() }
    return json.bytes
  }

  mutating func line(_ name: String, _ body: (inout JSONWriter) -> Void) {
    lineCount += 1
    json.line { json in
      json.member("line", name)
      body(&json)
    }
  }

  // MARK: What stands before

  /// The first lines below the header.
  mutating func begin() {
    line("client") { json in
      json.member("name", "app")
      json.array("partitions") { _ in }
    }
  }

  mutating func object(_ key: EntityKey) -> Int? {
    if let known = objects[key] { return known }
    guard let type = outline.type(key.type) else { return nil }
    let name = outline.types[type].written("type", byName: options.namesTypes)
    let id =
      options.identifiers == .kept ? key.id : UniqueID(high: 0, low: UInt64(objectCount) + 1)
    line("object") { json in
      json.member("type", name)
      json.member("id", id.description)
    }
    objects[key] = objectCount
    defer { objectCount += 1 }
    return objectCount
  }

  mutating func query(_ key: QueryKey) -> Int? {
    if let known = lists[key] { return known }
    guard let method = outline.method(key.method), library == nil || key.library == library else {
      return nil
    }
    library = key.library
    let plan = outline.limit(key)
    let name =
      plan.isCacheable
      ? outline.methods[method].kind.written("method", byName: options.namesTypes) : "uncached"
    let limit = plan.rows.map { UInt32(clamping: $0) } ?? .max
    let number = queries
    if plan.isCacheable {
      line("object") { json in
        json.member("type", "list")
        json.member("id", UniqueID(high: .max, low: UInt64(number)).description)
      }
    }
    let subject = objectCount
    if plan.isCacheable { objectCount += 1 }
    line("query") { json in
      json.member("method", name)
      if plan.isCacheable {
        json.member("subject", subject)
      } else {
        json.member("prefix", Self.letters(of: number))
      }
      json.member("limit", limit)
      json.member("order", "as-shown")
    }
    lists[key] = number
    queries += 1
    return number
  }

  /// A number in letters, up to eleven of them.
  static func letters(of number: Int) -> String {
    var letters = ""
    var rest = number
    repeat {
      letters.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + UInt8(rest % 26)))
      rest /= 26
    } while rest > 0
    return letters
  }

  /// Tells of the states that some rows are in, as far as nothing has yet.
  mutating func tell(of rows: [RecordedRow], at time: Int64) {
    var untold: [(Int, RecordedRow)] = []
    for row in rows {
      guard let object = object(row.key) else { continue }
      if knownVersions.insert(KnownVersion(object: object, version: row.version)).inserted {
        untold.append((object, row))
      }
    }
    if untold.isEmpty { return }
    writeMutation(untold.count == 1 ? "changed" : "batch", untold, place: nil, at: time) { _ in }
  }

  mutating func writeMutation(
    _ kind: String, _ states: [(object: Int, row: RecordedRow)], place: EventPlace?, at time: Int64,
    _ more: (inout JSONWriter) -> Void
  ) {
    let bytes = states.reduce(0) { $0 + $1.row.bytes }
    line("mutation") { json in
      json.member("at", time)
      if let place {
        json.member("epoch", place.position.epoch)
        json.member("sequence", place.position.sequence)
      }
      json.member("kind", kind)
      json.member("bytes", max(0, bytes))
      more(&json)
      if kind != "deleted" {
        json.array("items") { json in
          for state in states {
            json.object { json in
              json.member("object", state.object)
              json.member("clock", state.row.version.clock)
              json.member("device", state.row.version.device)
              json.member("bytes", min(max(0, state.row.bytes), Int(Int32.max)))
            }
          }
        }
      }
    }
    mutations += 1
  }
}
