import CacheFiles
import CacheModel
import EvictionPolicies
import ResponseCache

/// A step of a random program.
enum StoreStep: Hashable {
  /// A request with or without a field that answers may vary by.
  case fetch(Int, tag: TextKey?, variant: Int)
  /// The server answers, or the file is read, as they are now.
  case answer(Int, fault: Fault?)
  /// An answer or a read result reaches the store.
  case deliver(Int)
  /// The app stores a body of its own.
  case store(Int)
  case removeTag(TextKey)
  case sweep
  case removeAll
  case beginDownload
  case finishDownload
  case removeDownload
  /// The server has something new.
  case publish(
    Int, maximumAge: Int, kind: ResponseKind, permission: ResponsePermission, varies: Bool)
  /// A request has changed the server's state of a key.
  case invalidate(Int)
  case online(Bool)
  /// The operation at hand takes effect on the files; what fails may have taken half.
  case effect(fails: FileFailure.Kind?)
  /// Its result reaches the store.
  case finishOperation
  case damage(Int)
  case removeFile(Int)
  case damageMetadata
  case advance(seconds: Int)
  /// The process ends, and another begins.
  case restart

  enum Fault: Hashable, CaseIterable {
    case serverError
    case notFound
    case timeOut
    case transport
    case offline
    case unreadable
    /// An ETag that is of nothing.
    case lyingTag
    /// 304, whatever was asked.
    case lyingConfirmation
    case noStore
  }
}

/// Options and steps, drawn from a seed.
struct StoreProgram {
  static let keys = 6
  static let download: TextKey = "download"
  static let tags: [TextKey] = ["a", "b", download]

  var options = ResponseOptions()
  var steps: [StoreStep] = []

  init(seed: UInt64, steps count: Int) {
    var random = RandomSource(seed: seed)
    let orders = EvictionPolicies.forCaches.filter(\.isBounded).map(\.name)
    options.evictionOrder = random.chance(0.5) ? "lru" : orders[random.below(orders.count)]
    options.maximumEntries = random.below(5)
    options.memoryEntries = random.below(4)
    // Bodies have 10 or 11 bytes, headers at most 160, and a few tables some thousand.
    if random.chance(0.3) {
      options.diskBytes = random.below(5) * (ResponseOptions.entryOverhead + 171)
    }
    if random.chance(0.3) { options.memoryBytes = 2_000 + 200 * random.below(40) }
    options.metadataLayout = random.chance(0.6) ? .manifest : .sidecars
    options.flushInterval = .seconds(1 + random.below(30))
    options.sweepInterval = random.chance(0.3) ? nil : .seconds(1 + random.below(60))
    options.servesStaleAfter = Set(
      ResponseOptions.Fault.allCases.filter { _ in random.chance(0.5) })
    options.unfinishedDownloads = random.chance(0.5) ? .resume : .giveUp
    let (faulty, damaging) = (random.chance(0.5), random.chance(0.25))
    let keys = 1 + random.below(Self.keys)
    for _ in 0..<count {
      let key = random.below(keys)
      let tag = Self.tags[random.below(Self.tags.count)]
      switch random.below(124) {
      case ..<24:
        steps.append(
          .fetch(
            key, tag: random.chance(0.4) ? tag : nil, variant: random.chance(0.2) ? 1 : 0))
      case ..<38:
        let faults = StoreStep.Fault.allCases
        let fault = faulty && random.chance(0.25) ? faults[random.below(faults.count)] : nil
        steps.append(.answer(random.below(3), fault: fault))
      case ..<52: steps.append(.deliver(random.below(3)))
      case ..<54: steps.append(.store(key))
      case ..<57: steps.append(.removeTag(tag))
      case ..<60: steps.append(.sweep)
      case ..<61: steps.append(.removeAll)
      case ..<62: steps.append(.beginDownload)
      case ..<63: steps.append(.finishDownload)
      case ..<64: steps.append(.removeDownload)
      case ..<72:
        let kind = ResponseKind.allCases[random.chance(0.7) ? 0 : random.below(4)]
        let permissions: [ResponsePermission] = [.always, .always, .whileFresh, .afterAsking]
        steps.append(
          .publish(
            key, maximumAge: random.below(40), kind: kind,
            permission: permissions[random.below(permissions.count)],
            varies: random.chance(0.3)))
      case ..<75: steps.append(.online(random.chance(0.6)))
      case ..<89:
        let kinds: [FileFailure.Kind] = [.noSpace, .transient, .refused]
        let fails = faulty && random.chance(0.2) ? kinds[random.below(kinds.count)] : nil
        steps.append(.effect(fails: fails))
      case ..<103: steps.append(.finishOperation)
      case ..<104: if damaging { steps.append(.damage(key)) }
      case ..<105: if damaging { steps.append(.removeFile(key)) }
      case ..<106: if damaging && random.chance(0.3) { steps.append(.damageMetadata) }
      case ..<116: steps.append(.advance(seconds: random.below(20)))
      case ..<120: steps.append(.restart)
      default: steps.append(.invalidate(key))
      }
    }
  }
}
