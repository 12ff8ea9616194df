import CacheModel
import CacheSimulation
import Foundation
import NormalizedCache
import Workloads

/// The typed values of one seed's workload, each created once from its own bytes.
///
/// The subjects of a run share it without changing it.
struct ReplayValues: Sendable {
  let library: LibraryID
  let model: DataModel
  private let values: [VersionedEntity<AppValue>?]
  /// The values of summaries; empty if there are none.
  private let summaries: [VersionedEntity<AppValue>?]
  private let bytes: [Data]

  /// - Parameters:
  ///   - workload: the workload with the states.
  ///   - clients: the calls with the values for each client.
  ///   - padding: the number of bytes that each value has in addition to the scenario's size.
  /// - Throws: the coder's error.
  init(of workload: Workload, needing clients: [ClientCalls], padding: Int = 0) throws {
    let catalog = workload.catalog
    var isNeeded = [Bool](repeating: false, count: catalog.revisions.count)
    var isSummaryNeeded = workload.model.hasSummaries ? isNeeded : []
    for client in clients {
      client.forEachEntity { entity in
        if entity.payload.isSummary {
          isSummaryNeeded[Int(entity.payload.revision)] = true
        } else {
          isNeeded[Int(entity.payload.revision)] = true
        }
      }
    }
    let schema = SimulationSchema(of: workload)
    var values = [VersionedEntity<AppValue>?](repeating: nil, count: isNeeded.count)
    var bytes = [Data](repeating: Data(), count: isNeeded.count)
    func make(_ handle: Handle) throws -> (value: VersionedEntity<AppValue>, bytes: Data) {
      let value = Self.value(handle, of: catalog, workload.model)
      return try Self.padded(value, to: schema.weight(of: handle) + padding)
    }
    for index in isNeeded.indices where isNeeded[index] {
      let made = try make(Self.handle(index, of: catalog))
      values[index] = made.value
      bytes[index] = made.bytes
    }
    var summaries = [VersionedEntity<AppValue>?](repeating: nil, count: isSummaryNeeded.count)
    for index in isSummaryNeeded.indices where isSummaryNeeded[index] {
      summaries[index] = try make(Self.handle(index, of: catalog).summary).value
    }
    self.values = values
    self.summaries = summaries
    self.bytes = bytes
    library = workload.library
    model = workload.model
  }

  private static func handle(_ index: Int, of catalog: Catalog) -> Handle {
    Handle(object: catalog.revisions[index].object, revision: UInt32(index))
  }

  /// Returns a value of the right size in separate storage, like one from the network, and its bytes.
  private static func padded(
    _ value: AppValue, to size: Int
  ) throws -> (value: VersionedEntity<AppValue>, bytes: Data) {
    let encoder = JSONEncoder()
    var bytes = try encoder.encode(value)
    if size > bytes.count {
      var padded = value
      padded.text = String(repeating: "x", count: size - bytes.count)
      bytes = try encoder.encode(padded)
    }
    return (try JSONDecoder().decode(AppValue.self, from: bytes).entity, bytes)
  }

  private static func value(
    _ handle: Handle, of catalog: Catalog, _ model: DataModel
  ) -> AppValue {
    let revision = catalog.revisions[Int(handle.revision)]
    let key = catalog.objects[Int(revision.object)]
    var value = AppValue(
      high: key.id.high, low: key.id.low, type: key.type.rawValue, clock: revision.version.clock,
      device: revision.version.device, object: handle.place, revision: handle.revision, text: "")
    for field in model.types[Int(key.type.rawValue) - 1].fields {
      switch catalog.value(of: field, in: handle.revision) {
      case .number(let number): value.numbers.append(number)
      case .text(let text): value.texts.append(text)
      case .flag(let flag): value.flags.append(flag)
      case .one(let object): value.references.append(object.map { [$0] } ?? [])
      case .many(let objects): value.references.append(objects)
      }
    }
    return value
  }

  func entity(_ handle: VersionedEntity<Handle>) -> VersionedEntity<AppValue> {
    let known = handle.payload.isSummary ? summaries : values
    guard let entity = known[Int(handle.payload.revision)] else {
      preconditionFailure("a call names a state that is not among the values")
    }
    return entity
  }

  func response(_ response: FetchResponse<Handle>) -> FetchResponse<AppValue> {
    if response.isNotModified, let place = response.place { return .notModified(at: place) }
    return FetchResponse(
      entities: response.entities.map(entity), hasMore: response.hasMore, place: response.place)
  }

  func response(_ response: ReconcileResponse<Handle>) -> ReconcileResponse<AppValue> {
    switch response {
    case .events(let events, let through): .events(events.map(envelope), through: through)
    case .outline(let tags, let through): .outline(tags, through: through)
    case .tooOld(let now): .tooOld(now: now)
    }
  }

  func envelope(
    _ envelope: EventEnvelope<Handle>
  ) -> EventEnvelope<AppValue> {
    let event: CacheEvent<AppValue> =
      switch envelope.event {
      case .changed(let changed): .changed(entity(changed))
      case .batchChanged(let changed): .batchChanged(changed.map(entity))
      case .deleted(let keys, let version): .deleted(keys, version: version)
      case .bulkNotice(let scope, let count, let token):
        .bulkNotice(scope: scope, count: count, token: token)
      case .partlyDecoded(let changed, let undecodable):
        .partlyDecoded(changed.map(entity), undecodable: undecodable)
      case .infrastructure: .infrastructure
      }
    return EventEnvelope(
      place: envelope.place, event: event, mutation: envelope.mutation, origin: envelope.origin)
  }

  /// Returns an encoded event: a line of JSON as its frame, then one for each item.
  ///
  /// - Throws: the coder's error.
  func message(_ envelope: EventEnvelope<Handle>) throws -> Data {
    var header = EventFrame(place: envelope.place)
    header.origin = envelope.origin?.rawValue
    var items: [VersionedEntity<Handle>] = []
    switch envelope.event {
    case .changed(let changed): items = [changed]
    case .batchChanged(let changed), .partlyDecoded(let changed, _): items = changed
    case .deleted(let keys, let version):
      header.deleted = keys.map { .init($0) }
      header.version = [version.clock, version.device]
    case .bulkNotice(let scope, let count, let token):
      header.notice = .init(
        type: scope.resourceType?.rawValue, location: scope.location.map { [$0.high, $0.low] },
        count: count, token: token)
    case .infrastructure: break
    }
    header.types = items.map(\.key.type.rawValue)
    var message = try JSONEncoder().encode(header)
    for item in items {
      message.append(UInt8(ascii: "\n"))
      message.append(bytes[Int(item.payload.revision)])
    }
    return message
  }
}

extension ClientCalls {
  /// Calls a function with every entity that is passed to the cache.
  fileprivate func forEachEntity(_ body: (VersionedEntity<Handle>) -> Void) {
    func visit(_ event: CacheEvent<Handle>) {
      switch event {
      case .changed(let entity): body(entity)
      case .batchChanged(let entities), .partlyDecoded(let entities, _): entities.forEach(body)
      case .deleted, .bulkNotice, .infrastructure: break
      }
    }
    for call in all {
      switch call.kind {
      case .event(let envelope): visit(envelope.event)
      case .fetched(let answer): answer.response?.entities.forEach(body)
      case .reconciled(.events(let events, _)): for envelope in events { visit(envelope.event) }
      case .read, .readEntity, .observe, .unobserve, .tag, .invalidate, .take, .clear, .release,
        .heartbeat, .comeOnline, .wake, .reconciled:
        break
      }
    }
  }
}

/// An object of a scenario as a typed value of an app, with the scenario's size in JSON.
struct AppValue: Codable, Sendable {
  /// The object's key.
  var high: UInt64
  var low: UInt64
  var type: UInt16
  var clock: UInt64
  var device: UInt64
  /// The scenario's index of the object, and whether this is a summary of it.
  var object: UInt32
  var revision: UInt32
  /// The values of the declared fields, which a screen shows, each kind in the order of the fields.
  var texts: [String] = []
  var numbers: [Int64] = []
  var flags: [Bool] = []
  /// The referenced objects by field.
  var references: [[UInt32]] = []
  /// Padding to the right size.
  var text: String

  /// The same value in separate storage, as a decoder creates it.
  var copied: AppValue {
    do {
      return try JSONDecoder().decode(AppValue.self, from: JSONEncoder().encode(self))
    } catch {
      preconditionFailure("a value of plain fields is not coded: \(error)")
    }
  }

  var handle: Handle { Handle(place: object, revision: revision) }
  var key: EntityKey {
    EntityKey(type: ResourceType(rawValue: type), id: UniqueID(high: high, low: low))
  }
  var entity: VersionedEntity<AppValue> {
    VersionedEntity(key: key, version: Version(clock: clock, device: device), payload: self)
  }
}

/// The scenario's own schema for typed values.
struct AppSchema: CacheSchema {
  let schema: SimulationSchema

  func plan(for query: QueryKey) -> QueryPlan<QueryPredicate> { schema.plan(for: query) }

  func forEachScope(
    of payload: AppValue, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    schema.forEachScope(of: payload.handle, key: key, body)
  }

  func weight(of payload: AppValue) -> Int { schema.weight(of: payload.handle) }

  static var hasSummaries: Bool { true }

  func isSummary(_ payload: AppValue) -> Bool { payload.handle.isSummary }

  func areEqual(_ lhs: AppValue, _ rhs: AppValue) -> Bool {
    schema.areEqual(lhs.handle, rhs.handle)
  }

  func belongs(
    _ payload: AppValue, key: EntityKey, in predicate: QueryPredicate
  ) -> MatchResult {
    schema.belongs(payload.handle, key: key, in: predicate)
  }

  func precedes(
    _ lhs: AppValue, key lhsKey: EntityKey, _ rhs: AppValue, key rhsKey: EntityKey,
    in predicate: QueryPredicate
  ) -> Bool {
    schema.precedes(lhs.handle, key: lhsKey, rhs.handle, key: rhsKey, in: predicate)
  }

  func location(of payload: AppValue) -> UniqueID? { schema.location(of: payload.handle) }
}
