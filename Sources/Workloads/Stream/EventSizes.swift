package import CacheModel

/// The bytes of events with new states of a catalog, by their contents.
package struct EventSizes: Sendable {
  private let catalog: Catalog
  private let model: DataModel

  package init(_ catalog: Catalog, _ model: DataModel) {
    self.catalog = catalog
    self.model = model
  }

  /// Returns the bytes of one item.
  ///
  /// The model has no sizes of single fields, so each changed field counts as an equal share of its entity
  /// (an assumption), plus an id. Neither they nor an id alone exceed the whole. A change of no declared
  /// field, and a new entity, are sent as the whole. O(fields).
  ///
  /// - Parameters:
  ///   - state: the new state.
  ///   - former: the previous state; `nil`: the entity is new.
  ///   - contents: the contents of the event.
  /// - Returns: the bytes, without the event's envelope.
  package func bytes(of state: UInt32, after former: UInt32?, _ contents: EventContents) -> Int {
    let whole = Int(catalog.revisions[Int(state)].bytes)
    switch contents {
    case .whole: return whole
    case .ids: return min(whole, ObjectSizes.deletedKey)
    case .changes:
      guard let former else { return whole }
      let fields = catalog.fields(ofState: state, model)
      let changed = fields.count { !catalog.haveEqual($0, former, state) }
      guard changed > 0 else { return whole }
      return min(
        whole, ObjectSizes.deletedKey + (whole * changed + fields.count - 1) / fields.count)
    }
  }
}

extension Catalog {
  package func fields(ofState state: UInt32, _ model: DataModel) -> [ModelField] {
    let type = objects[Int(revisions[Int(state)].object)].type
    return model.types[Int(type.rawValue) - 1].fields
  }

  /// Returns whether a field has the same value in two states of one object.
  package func haveEqual(_ field: ModelField, _ one: UInt32, _ other: UInt32) -> Bool {
    let (left, right) = (word(field.slot, of: one), word(field.slot, of: other))
    if left == right { return true }
    guard case .many = field.content else { return false }
    return labels[LabelRange(word: left).indices]
      .elementsEqual(labels[LabelRange(word: right).indices])
  }
}

extension Workload {
  /// Limits the contents of every event with new states.
  ///
  /// Events that name entities without their states, and deletions, are unchanged. O(items).
  package mutating func letEvents(carry contents: EventContents) {
    guard contents != .whole else { return }
    let sizes = EventSizes(catalog, model)
    var states = [UInt32?](repeating: nil, count: catalog.objects.count)
    for state in 0..<catalog.initialCount {
      states[Int(catalog.revisions[state].object)] = UInt32(state)
    }
    for index in mutations.indices {
      let kind = mutations[index].kind
      var bytes = ObjectSizes.envelope
      for item in items[mutations[index].items] {
        let former = states[Int(item.object)]
        guard item.revision != MutationItem.deleted else {
          states[Int(item.object)] = nil
          continue
        }
        states[Int(item.object)] = item.revision
        bytes += sizes.bytes(of: item.revision, after: former, contents)
      }
      guard kind == .changed || kind == .batchChanged else { continue }
      mutations[index].carries = contents
      mutations[index].bytes = bytes
    }
  }
}
