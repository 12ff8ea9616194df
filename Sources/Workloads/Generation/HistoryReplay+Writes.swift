import CacheModel

/// The data added by a session's user, visible to that user at once.
extension HistoryReplay {
  mutating func addObject(_ key: EntityKey) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(key)
    extendColumns()
    return object
  }

  mutating func store(_ list: [UInt32]) -> UInt64 {
    guard !list.isEmpty else { return 0 }
    let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
    labels += list
    return range.word
  }

  /// Adds a state, which has no effect before ``apply(_:)``.
  mutating func record(_ revision: Revision, words: [UInt64]) -> UInt32 {
    let number = UInt32(objects.count)
    objects.append(revision.object)
    written.append(revision)
    valueStarts.append(UInt32(values.count))
    values += words
    return number
  }

  /// Removes objects for this user.
  mutating func remove(_ objects: [UInt32]) {
    for object in objects {
      replace(object, by: EntityStates.none)
      removed.append(object)
    }
  }

  /// Returns a live object and the objects that it owns; at most about `limit` are searched.
  func possessions(of object: UInt32, limit: Int) -> [UInt32] {
    var found = [object]
    var isFound: Set<UInt32> = [object]
    var known = 0
    while known < found.count, found.count <= limit {
      known = found.count
      for child in keys.indices.map({ UInt32($0) })
      where isAlive(child) && !isFound.contains(child)
        && owners(of: child).contains(where: isFound.contains)
      {
        isFound.insert(child)
        found.append(child)
      }
    }
    return found
  }

  private func owners(of object: UInt32) -> [UInt32] {
    history.scenario.model.types[type(of: object)].fields.compactMap { field in
      guard case .one(_, _, true) = field.content else { return nil }
      return reference(QueryShape.Member(field), of: object)
    }
  }

  /// Adopts the states written by another session's user; none of their objects exists here.
  mutating func adoptStates(of other: HistoryReplay) {
    keys = other.keys
    objects = other.objects
    values = other.values
    valueStarts = other.valueStarts
    labels = other.labels
    written = other.written
    extendColumns()
  }

  private mutating func extendColumns() {
    let missing = keys.count - current.count
    guard missing > 0 else { return }
    current += repeatElement(EntityStates.none, count: missing)
    for shape in shapes.indices where shapes[shape].hasSubject {
      buckets[shape] += repeatElement([], count: missing)
      lists[shape] += repeatElement(nil, count: missing)
    }
  }
}
