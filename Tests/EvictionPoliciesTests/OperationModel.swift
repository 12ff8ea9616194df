import CacheModel

@testable import EvictionPolicies

/// Traces of every operation, with weights, lifetimes and times.
enum RandomOperations {
  static func trace(lines: Int, keys: Int, seed: UInt64) -> OperationTrace {
    var random = RandomSource(seed: seed).substream("operations")
    var trace = OperationTrace(ids: [], distinct: keys)
    var now: Int64 = 0
    for _ in 0..<lines {
      let id = min(random.below(keys), random.below(keys))
      trace.ids.append(UInt32(id))
      trace.operations.append(
        random.chance(0.7)
          ? .get : TraceOperation.allCases[random.below(TraceOperation.allCases.count)])
      trace.weights.append(Int32(random.chance(0.2) ? 0 : 1 + random.below(12)))
      trace.lifetimes.append(random.chance(0.8) ? 0 : Int64(1 + random.below(400)))
      now += Int64(random.below(4))
      trace.times.append(now)
    }
    return trace
  }
}

/// The plainest LRU with operations: an array from old to young, searched from end to end.
enum LRUModel {
  struct Copy {
    var id: UInt32
    var weight: Int
    var expiry: Int64
    var isStale = false
  }

  static func replay(_ trace: OperationTrace, _ rules: ReplayRules) -> OperationCounts {
    var counts = OperationCounts()
    var copies: [Copy] = []
    var known: Set<UInt32> = []
    var lastWeights: [UInt32: Int] = [:]
    let (limit, inBytes) =
      switch rules.capacity {
      case .entities(let count): (count, false)
      case .bytes(let count): (count, true)
      }
    func size(_ copy: Copy) -> Int { inBytes ? copy.weight : 1 }
    func evict(downTo room: Int) {
      while copies.map(size).reduce(0, +) > room {
        copies.removeFirst()
        counts.evictions += 1
      }
    }
    for index in trace.ids.indices {
      let id = trace.ids[index]
      let now = trace.times[index]
      let life = trace.lifetimes[index] == 0 ? rules.timeToLive ?? 0 : trace.lifetimes[index]
      let given = Int(trace.weights[index])
      func fetched() -> Copy {
        if given > 0 { lastWeights[id] = given }
        known.insert(id)
        return Copy(id: id, weight: lastWeights[id] ?? 1, expiry: life == 0 ? .max : now + life)
      }
      func keep(_ copy: Copy) {
        guard size(copy) <= limit else {
          counts.rejections += 1
          return
        }
        evict(downTo: limit - size(copy))
        copies.append(copy)
      }
      let place = copies.firstIndex { $0.id == id }
      switch trace.operations[index] {
      case .get:
        counts.gets += 1
        if let place {
          let copy = copies.remove(at: place)
          let isKnownStale = copy.isStale && rules.updates == .invalidate
          if !isKnownStale, now < copy.expiry {
            counts.hits += 1
            counts.staleHits += copy.isStale ? 1 : 0
            counts.bytesRequested += copy.weight
            copies.append(copy)
            continue
          }
          if isKnownStale { counts.coherenceMisses += 1 } else { counts.expiredMisses += 1 }
        } else if known.contains(id) {
          counts.capacityMisses += 1
        } else {
          counts.compulsoryMisses += 1
        }
        let copy = fetched()
        counts.bytesRequested += copy.weight
        counts.bytesMissed += copy.weight
        keep(copy)
      case .set:
        counts.sets += 1
        let copy = fetched()
        guard let place else {
          keep(copy)
          continue
        }
        copies.remove(at: place)
        if size(copy) > limit {
          counts.rejections += 1
        } else {
          copies.append(copy)
          evict(downTo: limit)
        }
      case .update:
        counts.updates += 1
        if let place, !copies[place].isStale {
          copies[place].isStale = true
          counts.invalidations += 1
        }
      case .delete:
        counts.deletes += 1
        if let place {
          copies.remove(at: place)
          counts.deletions += 1
        }
        known.remove(id)
      }
    }
    return counts
  }
}
