import CacheModel
import CacheSimulation
package import Workloads

/// The small library used by all conformance cases.
///
/// Cases name a state by its object and a letter or number: `a2` is the second state of file `a`, and `(a2)`
/// is its summary.
package enum ConformanceWorld {
  package enum List: Int, CaseIterable, Sendable {
    /// Initially `a1 b1 c1`.
    case docs
    /// Initially `d1`.
    case other
    case empty
    /// A thousand files.
    case big
    /// The first two of `docs`.
    case top
    /// Summaries of `docs`: initially `(a1) (b1) (c1)`.
    case cards

    package static let topRows = 2
  }

  private struct State {
    var name: String
    var object: UInt32
    var letters: String
    var parent: UInt32
  }

  static let bigRows = 1_000
  private static let bigStart: UInt32 = 8
  private static let (docs, other, big): (UInt32, UInt32, UInt32) = (0, 1, 3)
  private static let (a, b, c, d): (UInt32, UInt32, UInt32, UInt32) = (4, 5, 6, 7)
  /// Created during a case.
  private static let e = bigStart + UInt32(bigRows)

  /// The first state of each object is its initial one; later ones follow.
  private static let states: [State] = {
    let root = Revision.noObject
    var states = [
      State(name: "docs", object: docs, letters: "docs", parent: root),
      State(name: "other", object: other, letters: "other", parent: root),
      State(name: "empty", object: 2, letters: "empty", parent: root),
      State(name: "big", object: big, letters: "big", parent: root),
      State(name: "a1", object: a, letters: "apple", parent: docs),
      State(name: "b1", object: b, letters: "banana", parent: docs),
      State(name: "c1", object: c, letters: "cherry", parent: docs),
      State(name: "d1", object: d, letters: "damson", parent: other),
    ]
    for place in 0..<bigRows {
      let object = bigStart + UInt32(place)
      states.append(
        State(name: "f\(place)", object: object, letters: letters(of: place), parent: big))
    }
    states += [
      State(name: "a2", object: a, letters: "apple", parent: docs),
      State(name: "a3", object: a, letters: "apple", parent: docs),
      State(name: "a4", object: a, letters: "apple", parent: docs),
      State(name: "az", object: a, letters: "zucchini", parent: docs),
      State(name: "b2", object: b, letters: "banana", parent: docs),
      State(name: "bo", object: b, letters: "banana", parent: other),
      State(name: "b3", object: b, letters: "banana", parent: docs),
      State(name: "c2", object: c, letters: "cherry", parent: docs),
      State(name: "e1", object: e, letters: "endive", parent: docs),
    ]
    return states
  }()

  /// Returns three letters that sort as the numbers do.
  private static func letters(of number: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String([letters[number / 676 % 26], letters[number / 26 % 26], letters[number % 26]])
  }

  static let initialCount = Int(bigStart) + bigRows

  private static let stateOfName = Dictionary(
    uniqueKeysWithValues: states.enumerated().map { ($1.name, UInt32($0)) })

  /// - Precondition: the state exists.
  static func state(_ name: String) -> UInt32 {
    guard let state = stateOfName[name] else { preconditionFailure("no state \(name)") }
    return state
  }

  /// Returns the version that a cache serves for a named state, or for its summary.
  static func version(_ name: String) -> Int {
    let isPart = name.hasPrefix("(")
    return sent(state(isPart ? String(name.dropFirst().dropLast()) : name), isPart: isPart).served
      .version
  }

  static func sent(_ state: UInt32, isPart: Bool = false) -> SentRow {
    SentRow(
      object: object(of: state), state: state,
      version: Version(clock: UInt64(state) + 1, device: 1), isPart: isPart)
  }

  /// Returns the state with a served version, whole or summary.
  static func state(ofVersion version: Int) -> Int { version < 0 ? ~version : version }

  /// Describes a list by its number in `hello`, and its rows.
  package static func words(ofList query: Int) -> String {
    let list = List(rawValue: query)
    let what: String? =
      switch list {
      case .docs, .other, .empty, .big: list.map { "files in \"\($0)\"" }
      case .top: "the first \(List.topRows) files in \"\(List.docs)\""
      case .cards: "summaries of files in \"\(List.docs)\""
      case nil: nil
      }
    return "q \(query)" + (what.map { " (\($0))" } ?? "")
  }

  /// Describes an object by its number, with the letter of its states.
  static func words(ofObject object: UInt32) -> String {
    let name = states.first { $0.object == object && $0.parent != Revision.noObject }?.name
    return "object \(object)" + (name.map { " (file \($0.dropLast()))" } ?? "")
  }

  static func name(of version: Int) -> String {
    version < 0 ? "(\(states[~version].name))" : states[version].name
  }
  static func object(of state: UInt32) -> UInt32 { states[Int(state)].object }

  /// Returns the states of a list in its order, for given states of objects.
  static func rows(of list: List, _ current: [UInt32?]) -> [UInt32] {
    let parent =
      switch list {
      case .docs, .top, .cards: docs
      case .other: other
      case .empty: UInt32(2)
      case .big: big
      }
    let rows = current.compactMap(\.self).filter { states[Int($0)].parent == parent }
    // No two files of a list have the same name.
    let sorted = rows.sorted { states[Int($0)].letters < states[Int($1)].letters }
    return list == .top ? Array(sorted.prefix(List.topRows)) : sorted
  }

  static let objectCount = Int(e) + 1

  /// Returns a version later than every state of the object.
  static func deletion(of object: UInt32) -> Version {
    Version(clock: UInt64(states.count) + 1 + UInt64(object), device: 1)
  }

  static let file = DataModel.resourceType(ofType: 0)
  private static let directory = DataModel.resourceType(ofType: 1)
  private static let kind = DataModel.kind(ofShape: 0)
  private static let kindOfSummaries = DataModel.kind(ofShape: 1)

  /// Files in directories, and lists of a directory: with whole files, and with names alone.
  private static let model: DataModel = {
    let fields = [
      ModelField(
        name: "parent", content: .one(type: 1, .uniform, cascades: true), slot: 0),
      ModelField(name: "name", content: .text, slot: 1),
      ModelField(name: "modified", content: .time(meanAge: .zero), slot: 2),
    ]
    var list = QueryShape(
      name: "files.directory", types: [0, 1], conditions: [.isSubject(.init(fields[0]))],
      order: [.init(.init(fields[1]), isDescending: false)], rows: 0, reportClass: "file")
    list.subjectType = 1
    var summaries = list
    summaries.name = "cards.directory"
    summaries.showsSummaries = true
    return DataModel(
      types: ["file", "directory"].map { name in
        var type = EntityType(name: name, count: 0, size: .fixed(1), fields: fields)
        type.summary = EntitySummary(fields: [1], size: .fixed(60))
        return type
      },
      shapes: [list, summaries])
  }()

  /// The library as a workload without events: the cases define them.
  package static let workload: Workload = {
    let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))
    let objects = (0..<objectCount).map { number in
      EntityKey(
        type: number < Int(a) ? directory : file, id: UniqueID(high: 1, low: UInt64(number)))
    }
    let revisions = states.enumerated().map { index, state in
      Revision(
        object: state.object, version: sent(UInt32(index)).version,
        bytes: 300)
    }
    var catalog = Catalog(
      objects: objects, revisions: revisions, initialCount: initialCount, labels: [])
    for (index, state) in states.enumerated() {
      catalog.valueStarts.append(UInt32(catalog.values.count))
      catalog.values += [
        UInt64(state.parent), LetterCode.encode(state.letters) ?? 0, OrderedWord.of(Int64(index)),
      ]
    }
    // So that the order of versions includes deletions.
    let items = [a, b, c, d].map { MutationItem(object: $0, revision: MutationItem.deleted) }
    let mutations = items.indices.map { index in
      Mutation(
        at: Instant.zero.advanced(by: .seconds(1)), device: 1,
        position: StreamPosition(epoch: 1, sequence: UInt64(index) + 2), kind: .deleted,
        items: index..<index + 1, bytes: 100, version: deletion(of: items[index].object))
    }
    return Workload(
      name: "conformance", seed: 1, duration: .seconds(100), library: library, model: model,
      catalog: catalog,
      queries: [
        QuerySpec(kind: kind, subject: UInt64(docs), limit: 100),
        QuerySpec(kind: kind, subject: UInt64(other), limit: 100),
        QuerySpec(kind: kind, subject: 2, limit: 100),
        QuerySpec(kind: kind, subject: UInt64(big), limit: 2_000),
        QuerySpec(kind: kind, subject: UInt64(docs), limit: UInt32(List.topRows)),
        QuerySpec(kind: kindOfSummaries, subject: UInt64(docs), limit: 100),
      ],
      mutations: mutations, items: items,
      clients: [ClientScript(name: "client", actions: [], deliveries: [], partitions: [])],
      network: NetworkModel(
        minimumRoundTrip: 20_000_000, meanExtra: 0, bytesPerSecond: nil, seed: 1),
      retention: ServerRetention(events: 1_000, age: .seconds(1_000_000)))
  }()
}
