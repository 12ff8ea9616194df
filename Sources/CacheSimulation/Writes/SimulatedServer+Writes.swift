import CacheModel
import NormalizedCacheCore
import Workloads

/// The server's data if users write: commits happen on arrival, and later changes of others apply to what
/// users have left.
///
/// The last to arrive wins: a write contains whole states. A deleted entity stays deleted, and later changes
/// of others to it have no effect.
extension SimulatedServer {
  /// Commits the changes of others up to and including an instant.
  mutating func advanceBesideWrites(to now: Instant) {
    guard let writing else { return }
    while writing.next < workload.mutations.count,
      workload.mutations[writing.next].at <= now
    {
      let next = writing.next
      writing.next += 1
      let mutation = workload.mutations[next]
      // Unlike those of others, an own write commits on arrival.
      if let write = mutation.write, workload.writes[Int(write)].client == writing.client {
        continue
      }
      writing.now = mutation.at
      writing.places[next] = Int32(mutations.count)
      commit(workload.items[mutation.items], as: mutation, origin: Int32(next))
    }
    writing.now = now
  }

  func position(at instant: Instant) -> StreamPosition {
    let epoch = UInt32(1 + workload.restarts.count { $0 <= instant })
    let last = mutations.last { $0.at <= instant }?.position ?? start
    return last.epoch == epoch ? last : StreamPosition(epoch: epoch, sequence: 0)
  }

  /// Receives a write; if sent again, the server repeats its answer.
  ///
  /// - Parameters:
  ///   - token: the token of the write.
  ///   - content: the write with its edits.
  /// - Returns: whether it has been applied just now.
  mutating func take(_ token: MutationToken, content: UInt32) -> Bool {
    guard let writing, writing.fates[token] == nil else { return false }
    let write = workload.writes[Int(content)]
    let asked = workload.items[write.items]
    guard !write.isRefused, let first = asked.first, isPossible(first),
      write.isCreation || current[Int(first.object)] != Self.noRevision
    else {
      writing.fates[token] = .refused
      return false
    }
    let isDeletion = first.revision == MutationItem.deleted
    let carries = writing.carries[Int(content)]
    let sizes = EventSizes(catalog, workload.model)
    let bytes = asked.reduce(TransferSize.envelope) { bytes, item in
      guard item.revision != MutationItem.deleted else { return bytes + TransferSize.tag }
      let former = current[Int(item.object)]
      return bytes
        + sizes.bytes(
          of: item.revision, after: former == Self.noRevision ? nil : former, carries)
    }
    var mutation = Mutation(
      at: writing.now, device: UInt32.max - writing.client, position: position(at: writing.now),
      kind: isDeletion ? .deleted : asked.count == 1 ? .changed : .batchChanged, items: 0..<0,
      bytes: bytes)
    mutation.write = content
    mutation.carries = isDeletion ? .whole : carries
    writing.fates[token] = .carriedOut(mutations.count)
    writing.effects[Int(content)] += 1
    commit(asked, as: mutation, origin: -1)
    return true
  }

  /// Returns the answer to an applied write: the current state of affected objects.
  func answer(toCommit place: Int) -> (response: MutationResponse<Handle>, bytes: Int) {
    var response = MutationResponse<Handle>(place: self.place(position))
    var bytes = TransferSize.envelope
    let mutation = mutations[place]
    for index in mutation.items {
      let object = Int(items[index].object)
      if current[object] != Self.noRevision {
        response.changed.append(entity(current[object]))
        bytes += Int(catalog.revisions[Int(current[object])].bytes)
      } else {
        response.deleted.append((catalog.objects[object], writing?.latest[object] ?? Version.none))
        bytes += TransferSize.tag
      }
    }
    if let write = mutation.write { response.keys = keys(ofWrite: write) }
    return (response, bytes)
  }

  /// Returns the server's keys of objects created by a write, by the client's keys.
  func keys(ofWrite number: UInt32) -> [EntityKey: EntityKey] {
    let write = workload.writes[Int(number)]
    guard write.isCreation else { return [:] }
    let key = catalog.objects[Int(workload.items[write.items.lowerBound].object)]
    return [WriteNames.clientKey(of: number, type: key.type): key]
  }

  /// Returns the rows of a query as if some writes were already applied, as their author expects.
  mutating func answer(_ query: Int, with writes: [UInt32]) -> [Handle] {
    var former: [(object: Int, revision: UInt32)] = []
    for number in writes {
      let write = workload.writes[Int(number)]
      let item = workload.items[write.items.lowerBound]
      let object = Int(item.object)
      let state = current[object]
      if state == Self.noRevision, !write.isCreation { continue }
      former.append((object, state))
      let new = item.revision == MutationItem.deleted ? Self.noRevision : item.revision
      exchange(state, for: new)
      current[object] = new
    }
    let rows = answer(query).rows
    for (object, state) in former.reversed() {
      exchange(current[object], for: state)
      current[object] = state
    }
    return rows
  }

  // MARK: Steps of a commit

  private mutating func commit(
    _ asked: ArraySlice<MutationItem>, as mutation: Mutation, origin: Int32
  ) {
    guard let writing else { return }
    let at = mutation.at
    let position = position(at: at)
    let first = items.count
    var mutation = mutation
    mutation.position = StreamPosition(epoch: position.epoch, sequence: position.sequence + 1)
    if mutation.kind == .deleted {
      let gone = goneWith(asked.map(\.object), isOfUser: mutation.write != nil)
      mutation.version = stamp(
        mutation.version, after: gone.map { writing.latest[Int($0)] }.max() ?? Version.none,
        device: mutation.device)
      for object in gone {
        writing.latest[Int(object)] = mutation.version
        append(MutationItem(object: object, revision: MutationItem.deleted), at: at)
      }
    } else {
      for item in asked where isPossible(item) {
        let revision = Int(item.revision)
        let version = stamp(
          catalog.revisions[revision].version,
          after: writing.latest[Int(item.object)], device: mutation.device)
        writing.versions[revision] = version
        writing.latest[Int(item.object)] = version
        append(item, at: at)
        if mutation.write != nil, !writing.touched.contains(item.object) {
          writing.touched.append(item.object)
        }
      }
    }
    mutation.items = first..<items.count
    if mutation.items.isEmpty {
      // Its position in the stream is used, but there is nothing to send.
      mutation.kind = .infrastructure
      mutation.carries = .whole
      mutation.bytes = TransferSize.envelope
    }
    mutations.append(mutation)
    writing.origins.append(origin)
    applied = mutations.count
  }

  private mutating func append(_ item: MutationItem, at: Instant) {
    items.append(item)
    replaced.append(current[Int(item.object)])
    let isDeletion = item.revision == MutationItem.deleted
    apply(isDeletion ? Self.noRevision : item.revision, to: item.object, at: at.nanoseconds)
  }

  /// Returns a version, or a later one if it would not be later than the current one.
  private func stamp(
    _ version: Version, after latest: Version, device: UInt32
  ) -> Version {
    guard let writing else { return version }
    let stamped =
      version > latest
      ? version : Version(clock: max(writing.clock, latest.clock) + 1, device: UInt64(device) + 1)
    writing.clock = max(writing.clock, stamped.clock)
    return stamped
  }

  /// Returns whether a commit's object, and its owner, exist or are yet to be created.
  private func isPossible(_ item: MutationItem) -> Bool {
    let object = Int(item.object)
    let isThere = current[object] != Self.noRevision
    guard item.revision != MutationItem.deleted else { return isThere }
    guard isThere || writing?.latest[object] == Version.none else { return false }
    return writing?.ownership.hasOwner(item.revision, in: catalog) {
      current[Int($0)] == Self.noRevision
    } == false
  }

  /// Returns the entities deleted together: the listed ones, and those that belong to them now.
  ///
  /// For deletions of others the history has them, except for changes by users.
  private func goneWith(_ listed: [UInt32], isOfUser: Bool) -> [UInt32] {
    var gone = listed.filter { current[Int($0)] != Self.noRevision }
    guard let writing, listed.contains(where: { writing.ownership.isOwner($0, in: catalog) })
    else { return gone }
    var isGone = Set(listed)
    let others = isOfUser ? writing.ownership.owned : writing.touched
    var hasGrown = !others.isEmpty
    while hasGrown {
      hasGrown = false
      for object in others
      where current[Int(object)] != Self.noRevision && !isGone.contains(object)
        && writing.ownership.hasOwner(current[Int(object)], in: catalog, where: isGone.contains)
      {
        isGone.insert(object)
        gone.append(object)
        hasGrown = true
      }
    }
    return gone
  }
}

/// The additional state of a server for one client's own writes, whose arrival times are known only during
/// the run.
///
/// It is the ground truth of each write's result, counted by what was applied and not by a cache's report.
///
/// A class, so that its owner is not mutated with it.
final class ServerWriting {
  let client: UInt32
  let ownership: Ownership
  var now = Instant.zero
  /// The next of the workload's commits.
  var next = 0
  /// The index of each of the workload's commits among those that happened; −1 if it did not.
  var places: [Int32]
  /// The index in the workload of each commit that happened; −1 for this client's writes.
  var origins: [Int32] = []
  var versions: [Version]
  /// The latest version of each object, including its deletion; `.none` before it exists.
  var latest: [Version]
  /// The latest value of the server's clock.
  var clock: UInt64 = 0
  /// The objects created or changed by users, in order.
  var touched: [UInt32] = []
  /// The result of each write, by its token; looked up, never iterated.
  var fates: [MutationToken: Fate] = [:]
  /// The contents of each write's event.
  let carries: [EventContents]
  /// How often each write took effect, under any token.
  var effects: [Int]

  /// The server's result of a write; repeated if it is sent again.
  enum Fate: Sendable, Hashable {
    /// The index of its commit.
    case carriedOut(Int)
    case refused
  }

  init(_ workload: Workload, client: Int) {
    self.client = UInt32(client)
    ownership = Ownership(workload)
    places = [Int32](repeating: -1, count: workload.mutations.count)
    versions = workload.catalog.revisions.map(\.version)
    latest = [Version](repeating: .none, count: workload.catalog.objects.count)
    effects = [Int](repeating: 0, count: workload.writes.count)
    var carries = [EventContents](repeating: .whole, count: workload.writes.count)
    for mutation in workload.mutations {
      if let write = mutation.write { carries[Int(write)] = mutation.carries }
    }
    self.carries = carries
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount) {
      latest[Int(revision.object)] = revision.version
      clock = max(clock, revision.version.clock)
    }
  }
}

/// Ownership between objects: an object is deleted with each of its owners.
struct Ownership: Sendable {
  /// The slots of references to owners among a state's values, by type.
  private let slots: [[Int]]
  /// Whether anything can belong to an object of each type.
  private let owns: [Bool]
  /// The objects that belong to another, in order.
  let owned: [UInt32]

  init(_ workload: Workload) {
    let slots = workload.model.types.map { type in
      type.fields.compactMap { field in
        if case .one(_, _, true) = field.content { field.slot } else { nil }
      }
    }
    self.slots = slots
    var owns = workload.model.types.map { _ in false }
    for field in workload.model.types.flatMap(\.fields) {
      if case .one(let type, _, true) = field.content, owns.indices.contains(type) {
        owns[type] = true
      }
    }
    self.owns = owns
    let objects = workload.catalog.objects
    owned = objects.indices.filter { index in
      let type = Int(objects[index].type.rawValue) - 1
      return slots.indices.contains(type) && !slots[type].isEmpty
    }.map { UInt32($0) }
  }

  /// Returns whether anything can belong to an object.
  func isOwner(_ object: UInt32, in catalog: Catalog) -> Bool {
    let type = Int(catalog.objects[Int(object)].type.rawValue) - 1
    return owns.indices.contains(type) && owns[type]
  }

  /// Returns whether an owner of a state is among the given objects.
  @inline(__always)
  func hasOwner(
    _ revision: UInt32, in catalog: Catalog, where isAskedFor: (UInt32) -> Bool
  ) -> Bool {
    let object = Int(catalog.revisions[Int(revision)].object)
    let type = Int(catalog.objects[object].type.rawValue) - 1
    guard slots.indices.contains(type) else { return false }
    for slot in slots[type] {
      let word = catalog.values[Int(catalog.valueStarts[Int(revision)]) + slot]
      let owner = UInt32(truncatingIfNeeded: word)
      if owner != Revision.noObject, isAskedFor(owner) { return true }
    }
    return false
  }
}
