import CacheModel
import NormalizedCacheCore
import Workloads

struct View: Sendable {
  var observers = 0
  /// The rows that the view shows; `nil` if it shows nothing yet.
  var shown: [Handle]?
  /// The time of the last notification, in nanoseconds; `nil`: never.
  var toldAt: Int64?
  /// Notifications whose value is known only when a fetch completes.
  var undecided = 0
  /// The time when the server read the latest answer to its query, in nanoseconds.
  var answerReadAt: Int64 = 0
  /// The last fetch that its read waited for.
  var fetch: FetchID?
}

/// Rows by object, for one pass: what a view may still show of members without a value.
///
/// Columns by object that are never cleared: a row is valid only in the pass that added it.
struct RowsAtHand: Sendable {
  private var rows: [Handle]
  private var passes: [UInt32]
  private var pass: UInt32 = 0
  private var objectOfSlot: [UInt32] = []

  init(objectCount: Int) {
    rows = [Handle](repeating: .unknown, count: objectCount)
    passes = [UInt32](repeating: 0, count: objectCount)
  }

  mutating func beginPass() {
    pass &+= 1
    if pass == 0 {
      for index in passes.indices { passes[index] = 0 }
      pass = 1
    }
  }

  /// Adds rows; of two of one object the later counts.
  mutating func add(_ added: [Handle]) {
    for row in added where Int(row.object) < rows.count {
      rows[Int(row.object)] = row
      passes[Int(row.object)] = pass
    }
  }

  /// Returns the row of an object; one without a value if there is none.
  func row(of object: UInt32) -> Handle {
    guard Int(object) < rows.count, passes[Int(object)] == pass else {
      return Handle(object: object, revision: Handle.unknown.revision)
    }
    return rows[Int(object)]
  }

  /// Returns the object of a slot's key: the slot's last object, if that has this key.
  mutating func object(ofSlot slot: Int32, key: EntityKey, in input: Simulation) -> UInt32 {
    let index = Int(slot)
    if index >= objectOfSlot.count {
      let missing = index + 1 - objectOfSlot.count
      objectOfSlot += repeatElement(Handle.unknown.object, count: missing)
    }
    let known = Int(objectOfSlot[index])
    let objects = input.workload.catalog.objects
    if known < objects.count, objects[known] == key { return UInt32(known) }
    let object = input.objectOfKey[key] ?? Handle.unknown.object
    objectOfSlot[index] = object
    return object
  }
}

/// The rows on screen, and whether observers were notified.
extension ClientSimulation where Cache: ~Copyable {
  mutating func beginObserving(_ query: Int) {
    calls?.note(.observe(input.keys[query]), at: now)
    store.addObserver(of: input.keys[query], at: now)
    views[query].observers += 1
    if views[query].observers == 1 {
      observed.append(query)
      views[query].shown = nil
    }
  }

  mutating func endObserving(_ query: Int) {
    guard views[query].observers > 0 else { return }
    if views[query].observers == 1 { abandonRead(of: query) }
    calls?.note(.unobserve(input.keys[query]), at: now)
    store.removeObserver(of: input.keys[query], at: now)
    views[query].observers -= 1
    guard views[query].observers == 0 else { return }
    observed.removeAll { $0 == query }
    decideNotifications(of: query, changed: false)
    views[query].shown = nil
  }

  /// Notifies an observer; its view reads again if the cache has a change that it does not show, unless a
  /// response has just brought the rows.
  ///
  /// A row that has returned unchanged is no reason to request those that are still missing: otherwise two
  /// views that displace each other's rows would make each other fetch forever.
  mutating func notify(_ query: Int, hasResponse: Bool) {
    guard views[query].observers > 0 else { return }
    views[query].undecided += 1
    views[query].toldAt = now.nanoseconds
    if hasResponse { return }
    guard hasNews(of: query) else { return decideNotifications(of: query, changed: false) }
    // A notification is a reason to read, and to fetch only if rows are missing: expired results are fetched
    // when they are read.
    if asksAsRecorded || isComplete(query) {
      decideNotifications(of: query, changed: showStored(query))
      return
    }
    calls?.note(.read(input.keys[query], isRepeated: true), at: now)
    let read = store.read(input.keys[query], at: now, isRepeated: true)
    // Missing rows come with the fetch; then it shows whether the notification was useful.
    if read.fetch != nil, !isComplete(query) { return }
    decideNotifications(of: query, changed: showStored(query))
  }

  /// Returns whether the cache has a row, or a version of one, that the view does not show.
  private func hasNews(of query: Int) -> Bool {
    if let rows = overlaidRows(query) {
      guard let shown = views[query].shown, shown.count == rows.count else { return true }
      return zip(rows, shown).contains { row, before in
        row.hasValue
          ? !input.seen.areAlike(row, before, in: query)
          : row.object != before.object || !before.hasValue
      }
    }
    guard let shown = views[query].shown, let members = store.members(of: input.keys[query]),
      members.count == shown.count
    else { return true }
    return members.indices.contains { index in
      let (slot, row) = (members[index], shown[index])
      // Most rows are unchanged.
      if store.payload(of: slot) == row, row.hasValue, !row.isSummary { return false }
      if let payload = value(of: slot, in: query) {
        return !input.seen.areAlike(payload, row, in: query)
          && (payload.object != row.object || !row.hasValue
            || !input.schema.areEqual(payload, row))
      }
      return !row.hasValue
        || input.workload.catalog.objects[Int(row.object)] != store.key(of: slot)
        || input.workload.catalog.revisions[Int(row.revision)].version != store.version(of: slot)
    }
  }

  mutating func decideNotifications(of query: Int, changed: Bool) {
    let undecided = views[query].undecided
    views[query].undecided = 0
    tally.notifications += undecided
    if changed {
      tally.usefulNotifications += undecided
    } else {
      tally.spuriousNotifications += undecided
    }
  }

  /// Shows the cache's rows in the view, with the response's values where the cache has none.
  mutating func showResponse(_ rows: [Handle], of query: Int) {
    decideNotifications(of: query, changed: showStored(query, besides: rows))
  }

  /// Shows the cache's contents in the view, and returns whether that looks different.
  ///
  /// A member without a value is shown from other available rows: the response's, or those shown before.
  @discardableResult
  mutating func showStored(_ query: Int, besides response: [Handle] = []) -> Bool {
    guard views[query].observers > 0, let members = store.members(of: input.keys[query]) else {
      return false
    }
    let former = views[query].shown
    if var rows = overlaidRows(query) {
      if rows.contains(where: { !$0.hasValue }) {
        rowsAtHand.beginPass()
        if let former { rowsAtHand.add(former) }
        rowsAtHand.add(response)
        for index in rows.indices where !rows[index].hasValue {
          rows[index] = rowsAtHand.row(of: rows[index].object)
        }
      }
      views[query].shown = rows
      return former.map { differs($0, rows, in: query) } ?? true
    }
    // Usually nothing has changed.
    if let former, shows(members, former, in: query) { return false }
    var rows: [Handle] = []
    rows.reserveCapacity(members.count)
    var hasCollected = false
    // The rows that come first stand, most often, where the members do.
    let atHand = response.isEmpty ? former ?? [] : response
    for (index, slot) in members.enumerated() {
      if let payload = value(of: slot, in: query) {
        rows.append(payload)
        continue
      }
      let key = store.key(of: slot)
      if index < atHand.count, isRow(atHand[index], of: key) {
        rows.append(atHand[index])
        continue
      }
      if !hasCollected {
        hasCollected = true
        rowsAtHand.beginPass()
        if let former { rowsAtHand.add(former) }
        rowsAtHand.add(response)
      }
      let object = rowsAtHand.object(ofSlot: slot, key: key, in: input)
      rows.append(rowsAtHand.row(of: object))
    }
    views[query].shown = rows
    guard let former else { return true }
    return differs(former, rows, in: query)
  }

  /// Whether a row at hand is the only one of an entity: a recorded answer may repeat its rows.
  private func isRow(_ row: Handle, of key: EntityKey) -> Bool {
    let objects = input.workload.catalog.objects
    return input.sightings == nil && Int(row.object) < objects.count
      && objects[Int(row.object)] == key
  }

  private func differs(_ lhs: [Handle], _ rhs: [Handle], in query: Int) -> Bool {
    guard lhs.count == rhs.count else { return true }
    for (left, right) in zip(lhs, rhs) where !input.seen.areAlike(left, right, in: query) {
      guard left.object == right.object, left.hasValue, right.hasValue,
        input.schema.areEqual(left, right)
      else { return true }
    }
    return false
  }

  /// Compares every view with the cache: a difference without a notification was missed.
  ///
  /// - Throws: ``DivergenceError`` if the policy promises convergence.
  mutating func checkViews() throws {
    for query in observed where views[query].undecided == 0 && !isWithinWindow(query) {
      let told = views[query].shown
      // A row that was never available is brought by its fetch, not by a notification.
      if told?.contains(where: { !$0.hasValue }) == true { continue }
      guard showStored(query) else { continue }
      let shows = views[query].shown ?? []
      if told == nil, shows.isEmpty { continue }
      tally.missedNotifications += 1
      guard promisesConvergence else { continue }
      throw divergence(
        .missedNotification(input.workload.queries[query], told: told ?? [], shows: shows))
    }
  }

  /// Returns whether the policy may still delay a notification of a query.
  ///
  /// This follows from the times of earlier notifications, not from the cache: a notification that has not
  /// come by the end of the window is missed.
  private func isWithinWindow(_ query: Int) -> Bool {
    guard composition.coalescingWindow > .zero, let toldAt = views[query].toldAt else {
      return false
    }
    let end = Instant(nanoseconds: toldAt).advanced(by: composition.coalescingWindow)
    return now <= end
  }

  func divergence(_ finding: DivergenceError.Finding) -> DivergenceError {
    DivergenceError(
      scenario: input.workload.name, policy: policy, client: script.name,
      seed: input.workload.seed, step: step, at: now, finding: finding)
  }
}
