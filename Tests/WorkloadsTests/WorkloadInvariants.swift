import CacheModel

@testable import Workloads

/// The invariants of every generated workload; each violation is a line.
func violations(of workload: Workload) -> [String] {
  var found: [String] = []
  func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition && found.count < 20 { found.append(message()) }
  }
  let catalog = workload.catalog
  let end = Instant.zero.advanced(by: workload.duration)
  var latest = [UInt32?](repeating: nil, count: catalog.objects.count)
  var wasDeleted = [Bool](repeating: false, count: catalog.objects.count)
  check(Set(catalog.objects).count == catalog.objects.count, "two objects share a key")
  for (index, revision) in catalog.revisions.enumerated() {
    check(Int(revision.object) < catalog.objects.count, "revision \(index): no such object")
    for (field, word) in fields(of: index, in: workload) {
      switch field.content {
      case .one:
        check(
          word == UInt64(Revision.noObject) || word < UInt64(catalog.objects.count),
          "revision \(index): no such \(field.name)")
      case .many:
        check(
          LabelRange(word: word).indices.upperBound <= catalog.labels.count,
          "revision \(index): no such \(field.name)")
      case .integer, .time, .text, .flag: break
      }
    }
    check(revision.bytes > 0, "revision \(index): no size")
    if index < catalog.initialCount {
      check(latest[Int(revision.object)] == nil, "revision \(index): object exists twice")
      latest[Int(revision.object)] = UInt32(index)
    }
  }
  // Users' writes are numbered in their order; position and version are the server's, when they arrive.
  // Others' later changes of an entity that a user has deleted have no effect.
  let isInOrder = workload.writes.isEmpty
  var nextItem = 0
  var nextRevision = UInt32(catalog.initialCount)
  for (index, mutation) in workload.mutations.enumerated() {
    check(
      !isInOrder || mutation.items.lowerBound == nextItem,
      "mutation \(index): items are not contiguous")
    nextItem = mutation.items.upperBound
    check(mutation.at < end, "mutation \(index): after the end")
    if index > 0 {
      let before = workload.mutations[index - 1]
      check(before.at <= mutation.at, "mutation \(index): out of order")
      let follows =
        mutation.position.epoch == before.position.epoch
        ? mutation.position.sequence == before.position.sequence + 1
        : mutation.position.epoch > before.position.epoch && mutation.position.sequence == 1
      check(follows, "mutation \(index): position does not follow")
    } else {
      check(mutation.position.sequence == 1, "the first mutation has another sequence")
    }
    for item in workload.items[mutation.items] {
      let object = Int(item.object)
      check(!isInOrder || !wasDeleted[object], "mutation \(index): object \(object) is gone")
      if item.revision == MutationItem.deleted {
        check(mutation.kind == .deleted, "mutation \(index): deletes within another kind")
        guard let state = latest[object] else {
          check(!isInOrder, "mutation \(index): deletes what never was")
          continue
        }
        check(
          !isInOrder || catalog.revisions[Int(state)].version < mutation.version,
          "mutation \(index): deletion is not newer")
        latest[object] = nil
        wasDeleted[object] = true
      } else {
        check(
          !isInOrder || item.revision == nextRevision,
          "mutation \(index): revisions are not in order")
        nextRevision += 1
        let revision = catalog.revisions[Int(item.revision)]
        check(revision.object == item.object, "mutation \(index): revision of another object")
        for (field, word) in fields(of: Int(item.revision), in: workload) {
          guard case .one(_, _, true) = field.content, word != UInt64(Revision.noObject) else {
            continue
          }
          check(
            !isInOrder || latest[Int(word)] != nil,
            "mutation \(index): \(field.name) does not exist")
        }
        if let state = latest[object] {
          check(
            !isInOrder || catalog.revisions[Int(state)].version < revision.version,
            "mutation \(index): version does not grow")
        }
        latest[object] = item.revision
      }
    }
  }
  check(!isInOrder || nextItem == workload.items.count, "items beyond the last mutation")
  check(
    !isInOrder || Int(nextRevision) == catalog.revisions.count, "revisions beyond the last item")
  for client in workload.clients { found += violations(of: client, in: workload) }
  return found
}

/// The fields of a state, with its words.
private func fields(of state: Int, in workload: Workload) -> [(ModelField, UInt64)] {
  let catalog = workload.catalog
  let type = Int(catalog.objects[Int(catalog.revisions[state].object)].type.rawValue) - 1
  return workload.model.types[type].fields.map { ($0, catalog.word($0.slot, of: UInt32(state))) }
}

private func violations(of client: ClientScript, in workload: Workload) -> [String] {
  var found: [String] = []
  func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition && found.count < 20 { found.append("\(client.name): \(message())") }
  }
  let end = Instant.zero.advanced(by: workload.duration)
  var onScreen = Set<UInt32>()
  for (index, action) in client.actions.enumerated() {
    check(
      index == 0 || client.actions[index - 1].at <= action.at, "action \(index): out of order")
    check(action.at >= .zero && action.at < end, "action \(index): outside of the run")
    switch action.kind {
    case .read(let query), .redraw(let query), .tag(let query):
      check(Int(query) < workload.queries.count, "action \(index): no such query")
    case .observe(let query):
      check(onScreen.insert(query).inserted, "action \(index): observed twice")
    case .unobserve(let query):
      check(onScreen.remove(query) != nil, "action \(index): was not observed")
    case .open(let object, let view):
      check(view.map { onScreen.contains($0) } ?? true, "action \(index): no such view on screen")
      check(Int(object) < workload.catalog.objects.count, "action \(index): no such object")
    case .maintenance: break
    case .write(let number):
      check(Int(number) < workload.writes.count, "action \(index): no such write")
    }
  }
  for (index, delivery) in client.deliveries.enumerated() {
    check(
      index == 0 || client.deliveries[index - 1].at <= delivery.at,
      "delivery \(index): out of order")
    check(delivery.at < end, "delivery \(index): after the end")
    check(
      !client.partitions.contains { $0.contains(delivery.at) }, "delivery \(index): in a partition")
    if case .event(let mutation) = delivery.content {
      check(Int(mutation) < workload.mutations.count, "delivery \(index): no such mutation")
      check(
        workload.mutations[Int(mutation)].at
          .advanced(byNanoseconds: 0) <= delivery.at, "delivery \(index): before its commit")
    }
  }
  return found
}
