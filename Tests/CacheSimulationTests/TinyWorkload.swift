import CacheModel
import Workloads

extension QueryKind {
  /// The lists of a tiny workload's model.
  static let (directory, recents, media) = (kind(0), kind(1), kind(2))
  static let (tagList, search) = (kind(3), kind(4))

  private static func kind(_ place: Int) -> QueryKind { DataModel.kind(ofShape: place) }
}

/// Makes workloads of a handful of files by hand: directory 0, files after it.
struct TinyWorkload {
  /// Files in directories, with tags, and lists of them.
  static let model: DataModel = {
    let name = ModelField(name: "name", content: .text, slot: 1)
    let modified = ModelField(name: "modified", content: .time(meanAge: .zero), slot: 2)
    let media = ModelField(name: "media", content: .flag(share: 0), slot: 3)
    let parent = ModelField(
      name: "parent", content: .one(type: 1, .uniform, cascades: true), slot: 0)
    func type(_ name: String, _ fields: [ModelField]) -> EntityType {
      EntityType(name: name, count: 0, size: .fixed(1), fields: fields)
    }
    func shape(
      _ name: String, _ types: [Int], _ conditions: [QueryShape.Condition] = [],
      by order: ModelField, class reportClass: String
    ) -> QueryShape {
      QueryShape(
        name: name, types: types, conditions: conditions,
        order: [.init(.init(order), isDescending: order == modified)], rows: 0,
        reportClass: reportClass)
    }
    var shapes = [
      shape("files.directory", [0, 1], [.isSubject(.init(parent))], by: name, class: "file"),
      shape("files.recents", [0], by: modified, class: "file"),
      shape("files.media", [0], [.flag(.init(media), true)], by: modified, class: "file"),
      shape("tags.list", [2], by: name, class: "album-tag"),
      shape("files.search", [0], [.beginsWithTyped(.init(name))], by: name, class: "search"),
    ]
    shapes[0].subjectType = 1
    shapes[4].cachedFrom = 3
    return DataModel(
      types: [
        type("file", [parent, name, modified, media]),
        type("directory", [parent, name, modified]), type("tag", [name, modified]),
      ], shapes: shapes)
  }()

  static let file = DataModel.resourceType(ofType: 0)
  static let directory = DataModel.resourceType(ofType: 1)
  static let tag = DataModel.resourceType(ofType: 2)

  static let library = LibraryID(rawValue: UniqueID(high: 7, low: 7))
  static let second: Int64 = 1_000_000_000
  static let roundTrip: Int64 = 100_000_000

  private(set) var objects = [Self.key(Self.directory, 0)]
  private(set) var revisions: [Revision] = []
  private var values: [UInt64] = []
  private var initialCount = 1
  private(set) var current: [UInt32] = [0]
  private var mutations: [Mutation] = []
  private var items: [MutationItem] = []
  private var clock: UInt64 = 0

  var queries = [QuerySpec(kind: .directory, subject: 0, limit: 100)]
  var actions: [SessionAction] = []
  var deliveries: [Delivery] = []
  var partitions: [Range<Instant>] = []
  var duration = Duration.seconds(100)
  var errors: [Range<Instant>] = []
  var saysNotModified = false
  var retention = ServerRetention(events: 1_000, age: .seconds(1_000))
  var warmUp = Duration.zero
  var bytesPerSecond: Int?
  var pushesEvents = true
  var reaction = ClientScript.Reaction.none
  var relaunches: [Double] = []
  var storageFaults: [StorageRefusal] = []

  init() {
    addState(of: 0, name: 0, parent: Revision.noObject)
  }

  static func key(_ type: ResourceType, _ number: UInt64) -> EntityKey {
    EntityKey(type: type, id: UniqueID(high: 1, low: number))
  }

  private mutating func addState(
    of object: UInt32, name: UInt64, parent: UInt32 = 0, modified: Int64 = 0
  ) {
    clock += 1
    revisions.append(
      Revision(object: object, version: Version(clock: clock, device: 1), bytes: 1_000))
    values += [UInt64(parent), name, OrderedWord.of(modified), 0]
  }

  /// A file that exists at the start, in the directory; call before any mutation.
  mutating func file(name: UInt64) -> UInt32 {
    let object = UInt32(objects.count)
    objects.append(Self.key(Self.file, UInt64(object)))
    current.append(UInt32(revisions.count))
    addState(of: object, name: name)
    initialCount += 1
    return object
  }

  /// A second directory, with files that exist at the start; call before any mutation.
  mutating func directoryOfFiles(_ count: Int) -> UInt32 {
    let directory = UInt32(objects.count)
    objects.append(Self.key(Self.directory, UInt64(directory)))
    current.append(UInt32(revisions.count))
    addState(of: directory, name: 0, parent: Revision.noObject)
    initialCount += 1
    for name in 0..<count {
      let object = UInt32(objects.count)
      objects.append(Self.key(Self.file, UInt64(object)))
      current.append(UInt32(revisions.count))
      addState(of: object, name: UInt64(name), parent: directory)
      initialCount += 1
    }
    return directory
  }

  /// A new state of a file; `parent` −1 moves it out of every directory.
  mutating func change(
    _ object: UInt32, at seconds: Double, name: UInt64, parent: UInt32 = 0, modified: Int64 = 0
  ) -> UInt32 {
    addState(of: object, name: name, parent: parent, modified: modified)
    let index = UInt32(revisions.count - 1)
    current[Int(object)] = index
    return commit(
      .changed, [MutationItem(object: object, revision: index)], at: seconds, version: .none)
  }

  mutating func create(at seconds: Double, name: UInt64, parent: UInt32 = 0) -> UInt32 {
    let object = UInt32(objects.count)
    objects.append(Self.key(Self.file, UInt64(object)))
    current.append(0)
    return change(object, at: seconds, name: name, parent: parent)
  }

  /// Files that no query lists, each pushed to the client as it is made.
  mutating func storm(of count: Int, at seconds: Double) {
    for index in 0..<count {
      let at = seconds + Double(index) / 1_000
      deliver(create(at: at, name: 50, parent: Revision.noObject), at: at)
    }
  }

  mutating func delete(_ object: UInt32, at seconds: Double) -> UInt32 {
    clock += 1
    return commit(
      .deleted, [MutationItem(object: object, revision: MutationItem.deleted)], at: seconds,
      version: Version(clock: clock, device: 1))
  }

  private mutating func commit(
    _ kind: Mutation.Kind, _ new: [MutationItem], at seconds: Double, version: Version
  ) -> UInt32 {
    let start = items.count
    items += new
    mutations.append(
      Mutation(
        at: Self.instant(seconds), device: 1,
        position: StreamPosition(epoch: 1, sequence: UInt64(mutations.count + 1)), kind: kind,
        items: start..<items.count, bytes: 1_100, version: version))
    return UInt32(mutations.count - 1)
  }

  static func instant(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64(seconds * Double(second)))
  }

  mutating func act(_ kind: SessionAction.Kind, at seconds: Double) {
    actions.append(SessionAction(at: Self.instant(seconds), kind: kind))
  }

  mutating func deliver(_ mutation: UInt32, at seconds: Double) {
    deliveries.append(
      Delivery(at: Self.instant(seconds), content: .event(mutation: mutation)))
  }

  /// The event is put on the link at its commit, and takes its turn there.
  mutating func send(_ mutation: UInt32, isOvertaken: Bool = false, delay seconds: Double = 0) {
    let sent = mutations[Int(mutation)].at
    deliveries.append(
      Delivery(
        at: sent.advanced(by: .nanoseconds(Int64(seconds * Double(Self.second)))), sentAt: sent,
        isOvertaken: isOvertaken, content: .event(mutation: mutation)))
    deliveries.sort { $0.at < $1.at }
  }

  mutating func heartbeat(_ sequence: UInt64, at seconds: Double) {
    deliveries.append(
      Delivery(
        at: Self.instant(seconds),
        content: .heartbeat(StreamPosition(epoch: 1, sequence: sequence))))
  }

  var workload: Workload {
    var catalog = Catalog(
      objects: objects, revisions: revisions, initialCount: initialCount, labels: [])
    catalog.values = values
    catalog.valueStarts = revisions.indices.map { UInt32(4 * $0) }
    var workload = Workload(
      name: "tiny", seed: 1, duration: duration, library: Self.library, model: Self.model,
      catalog: catalog, queries: queries, mutations: mutations, items: items,
      clients: [
        ClientScript(
          name: "client", actions: actions, deliveries: deliveries, partitions: partitions,
          errors: errors, reaction: reaction)
      ],
      network: NetworkModel(
        minimumRoundTrip: Self.roundTrip, meanExtra: 0, bytesPerSecond: bytesPerSecond, seed: 1),
      retention: retention)
    workload.saysNotModified = saysNotModified
    workload.warmUp = warmUp
    workload.pushesEvents = pushesEvents
    workload.clients[0].relaunches = relaunches.map { Self.instant($0) }
    workload.clients[0].storageFaults = storageFaults
    return workload
  }
}
