import CacheModel

/// What the user of a session adds to the data: it is there for that user at once.
extension HistoryReplay {
  mutating func addObject(_ key: EntityKey) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(key)
    extendColumns()
    return object
  }

  /// Stores a list of references for a word to name.
  mutating func store(_ list: [UInt32]) -> UInt64 {
    guard !list.isEmpty else { return 0 }
    let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
    labels += list
    return range.word
  }

  /// Adds a state, which is empty before ``apply(_:)``.
  mutating func record(_ revision: Revision, words: [UInt64]) -> UInt32 {
    let number = UInt32(objects.count)
    objects.append(revision.object)
    written.append(revision)
    valueStarts.append(UInt32(values.count))
    values += words
    return number
  }

  /// Objects go for this user.
  mutating func remove(_ objects: [UInt32]) {
    for object in objects {
      replace(object, by: EntityStates.none)
      removed.append(object)
    }
  }

  /// A live object and whatever it owns; more than `limit` are not all found.
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

  /// What a live object goes with.
  private func owners(of object: UInt32) -> [UInt32] {
    history.scenario.model.types[type(of: object)].fields.compactMap { field in
      guard case .one(_, _, true) = field.content else { return nil }
      return reference(QueryShape.Member(field), of: object)
    }
  }

  /// Takes over the states that the user of another session has written, in none of which anything is
  /// here.
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
