import CacheFiles
import CacheModel
import EvictionPolicies
import TwoTierCache

/// A step of a random program.
enum StoreStep: Hashable {
  case read(Int)
  case write(Int, bytes: Int)
  case remove(Int)
  case removeAll
  /// A file being read is examined, and its present content taken.
  case look(Int)
  /// The result of a look reaches the store.
  case finishRead(Int)
  /// The operation at hand takes effect on the files.
  case effect(fails: FileFailure.Kind?)
  /// Its result reaches the store.
  case finishOperation
  case sibling(Int)
  case damage(Int)
  case advance(seconds: Int)
  case restart
}

/// Options and steps, drawn from a seed.
struct StoreProgram {
  var options = TwoTierOptions()
  var steps: [StoreStep] = []

  init(seed: UInt64, steps count: Int) {
    var random = RandomSource(seed: seed)
    let orders = EvictionPolicies.forCaches.map(\.name).filter { $0 != "unbounded" }
    options.evictionOrder = orders[random.below(orders.count)]
    options.memoryLimit =
      random.chance(0.5) ? .entries(random.below(4)) : .bytes(random.below(600))
    options.memoryLifetime = random.chance(0.3) ? nil : .seconds(random.below(40))
    options.age = random.chance(0.3) ? nil : .seconds(30 + random.below(200))
    options.cleanUpWrites = random.chance(0.3) ? nil : 1 + random.below(20)
    options.cleanUpInterval = random.chance(0.5) ? nil : .seconds(10 + random.below(100))
    options.diskBytes = random.chance(0.6) ? nil : 100 + random.below(500)
    options.maximumValueBytes = random.chance(0.8) ? 1_000 : 80
    let keys = 1 + random.below(ModelDisk.names.count)
    let (faulty, social) = (random.chance(0.4), random.chance(0.4))
    for _ in 0..<count {
      let key = random.below(keys)
      switch random.below(100) {
      case ..<25: steps.append(.read(key))
      case ..<43: steps.append(.write(key, bytes: random.below(120)))
      case ..<46: steps.append(.remove(key))
      case ..<47: steps.append(.removeAll)
      case ..<58: steps.append(.look(random.below(4)))
      case ..<69: steps.append(.finishRead(random.below(4)))
      case ..<77:
        let kinds: [FileFailure.Kind] = [
          .noSpace, .transient, .transient, .transient, .transient, .transient, .refused,
        ]
        let fails = faulty && random.chance(0.3) ? kinds[random.below(kinds.count)] : nil
        steps.append(.effect(fails: fails))
      case ..<85: steps.append(.finishOperation)
      case ..<91: if social { steps.append(.sibling(key)) }
      case ..<93: if faulty { steps.append(.damage(key)) }
      case ..<99: steps.append(.advance(seconds: random.below(30)))
      default: steps.append(.restart)
      }
    }
  }
}
