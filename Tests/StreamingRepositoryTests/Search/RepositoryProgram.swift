import CacheModel
import StreamingRepository

/// A step of a random program.
enum RepositoryStep: Hashable {
  case view(Int)
  case observe(Int)
  case endObserving(Int)
  case pull(Int)
  case foreground
  case logIn(Int)
  case logOut
  case online(Bool)
  case stop
  case start
  /// Another client changes a collection of an account at the server.
  case serverChange(account: Int, collection: Int)
  /// The server reads the data of a request.
  case read(Int)
  /// The answer reaches the store; unread data is read now.
  case answer(Int)
  case failRequest(Int)
  /// The user changes one or two collections.
  case change([Int], isOptimistic: Bool)
  /// The server carries a change out.
  case carryOut(Int)
  /// The store is notified; a change that was not applied has failed.
  case answerChange(Int)
  /// The answer to a change is lost: it has failed, whatever the server did.
  case failChange(Int)
  /// The operation at hand takes effect on the file.
  case effect(fails: Bool)
  /// Its result reaches the store.
  case finishOperation
  case advance(seconds: Int)
  /// The process ends, and another begins with the file.
  case restart
}

/// Options and steps, drawn from a seed.
struct RepositoryProgram {
  static let accounts = 2
  static let collections = 3

  var options = RepositoryOptions()
  var steps: [RepositoryStep] = []

  init(seed: UInt64, steps count: Int) {
    var random = RandomSource(seed: seed)
    options.maximumRequests = 1 + random.below(3)
    options.maximumChanges = 1 + random.below(8)
    options.fetchesUnobserved = random.chance(0.3)
    options.interval = random.chance(0.3) ? .seconds(1 + random.below(60)) : nil
    options.retryInterval = .seconds(1 + random.below(20))
    let collections = 1 + random.below(Self.collections)
    let (faulty, moves, changes) = (random.chance(0.4), random.chance(0.5), random.chance(0.6))
    steps.append(.logIn(0))
    for _ in 0..<count {
      let collection = random.below(collections)
      let (place, isFault) = (random.below(4), random.chance(0.3))
      switch random.below(100) {
      case ..<8: steps.append(.view(collection))
      case ..<13: steps.append(.observe(collection))
      case ..<16: steps.append(.endObserving(collection))
      case ..<22: steps.append(.pull(collection))
      case ..<25: steps.append(.foreground)
      case ..<27: if moves { steps.append(.logIn(random.below(Self.accounts))) }
      case ..<28: if moves { steps.append(.logOut) }
      case ..<32: steps.append(.online(random.chance(0.6)))
      case ..<33: if moves { steps.append(random.chance(0.4) ? .stop : .start) }
      case ..<38:
        steps.append(
          .serverChange(account: random.below(Self.accounts), collection: collection))
      case ..<44: steps.append(.read(place))
      case ..<58: steps.append(faulty && isFault ? .failRequest(place) : .answer(place))
      case ..<64:
        guard changes else { break }
        let touched = Set([collection, random.below(collections)]).sorted()
        steps.append(.change(touched, isOptimistic: random.chance(0.7)))
      case ..<69: steps.append(.carryOut(place))
      case ..<74: steps.append(faulty && isFault ? .failChange(place) : .answerChange(place))
      case ..<85: steps.append(.effect(fails: faulty && isFault))
      case ..<95: steps.append(.finishOperation)
      case ..<99: steps.append(.advance(seconds: random.below(30)))
      default: steps.append(.restart)
      }
    }
  }
}
