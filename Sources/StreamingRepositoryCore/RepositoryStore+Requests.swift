package import CacheModel

extension RepositoryStore {
  // MARK: Asking

  /// Fetches a collection for a reason, unless a request in flight is enough.
  mutating func ask(
    _ place: Int, _ trigger: RepositoryTrigger, by caller: CallerNumber? = nil, at now: Instant
  ) {
    guard trigger == .pull || options.triggers.contains(trigger) else { return }
    if let obstacle {
      if let caller {
        act(.finish(caller, obstacle))
      } else if case .offline = obstacle {
        statistics.missed += 1
        collections[place].missed = trigger
      }
      return
    }
    let joins = trigger.joins || planted(.pullJoins) && trigger == .pull
    if joins, collections[place].isUnderway(waiting: newestWaiting(place)) {
      statistics.joined += 1
      if let caller {
        collections[place].callers.append((caller, collections[place].requests.last ?? .init(0)))
      }
    } else if collections[place].requests.count >= options.maximumRequests {
      let callers = (collections[place].following?.callers ?? []) + (caller.map { [$0] } ?? [])
      collections[place].following = .init(trigger: trigger, callers: callers)
    } else {
      send(place, trigger, callers: caller.map { [$0] } ?? [])
    }
  }

  /// The reason why nothing can be fetched or changed.
  var obstacle: RepositoryError? {
    if isStopped { return .stopped }
    if account == nil { return .loggedOut }
    return isOnline ? nil : .offline
  }

  /// Fetches all collections for a reason: observed ones now, the rest when they are viewed.
  mutating func askForAll(_ trigger: RepositoryTrigger, at now: Instant) {
    for place in collections.indices {
      // A disabled trigger should not take effect at the next view either.
      if options.triggers.contains(trigger) { collections[place].neededFrom = nextRequest }
      if collections[place].observers > 0 || options.fetchesUnobserved {
        ask(place, trigger, at: now)
      }
    }
  }

  private mutating func send(_ place: Int, _ trigger: RepositoryTrigger, callers: [CallerNumber]) {
    guard let account else { return finish(callers, .loggedOut) }
    lastRequest += 1
    let number = RequestNumber(lastRequest)
    requests[number] = Request(place: place, trigger: trigger)
    collections[place].requests.append(number)
    collections[place].missed = nil
    for caller in callers { collections[place].callers.append((caller, number)) }
    statistics.requests += 1
    act(.fetch(number, collections[place].collection, account))
  }

  /// Returns the newest answer of a collection that waits to be written, or is being written.
  func newestWaiting(_ place: Int) -> RequestNumber? {
    if let waiting = emissions.request(of: place) { return waiting }
    guard case .write(let emission, _)? = current?.work, current?.session == session,
      emission.collection == place
    else { return nil }
    return emission.request
  }

  // MARK: Answers

  /// Receives the answer to a request; it waits to be written.
  package mutating func receive(
    _ rows: Rows, bytes: Int, for number: RequestNumber, at now: Instant
  ) {
    guard let request = endRequest(number) else { return }
    statistics.answers += 1
    statistics.bytes += bytes
    if request.trigger == .change { statistics.bytesAfterChanges += bytes }
    let place = request.place
    defer { follow(place) }
    guard number > collections[place].received || planted(.olderAnswerKept) else {
      statistics.olderAnswers += 1
      return
    }
    collections[place].received = number
    if planted(.newerAnswerForgotten), emissions.request(of: place) != nil { return }
    let emission = EmissionBuffer.Emission(collection: place, request: number, rows: rows)
    if emissions.put(emission) {
      statistics.superseded += 1
      if planted(.callerForgotten) {
        _ = collections[place].takeCallers(through: .init(number.rawValue - 1))
      }
    }
  }

  /// Receives the failure of a request, and reports it to waiting callers.
  package mutating func fail(
    _ number: RequestNumber, _ error: RepositoryError, at now: Instant
  ) {
    guard let request = endRequest(number) else { return }
    statistics.failedRequests += 1
    let place = request.place
    let callers = collections[place].callers.filter { $0.request == number }.map(\.caller)
    collections[place].callers.removeAll { $0.request == number }
    finish(callers, error)
    if callers.isEmpty { act(.report(collections[place].collection, request.trigger, error)) }
    if planted(.failedViewCounts) { collections[place].written = number }
    follow(place)
  }

  private mutating func endRequest(_ number: RequestNumber) -> Request? {
    guard let request = requests.removeValue(forKey: number) else { return nil }
    collections[request.place].requests.removeAll { $0 == number }
    return request
  }

  /// Sends the request that waited until one had ended.
  private mutating func follow(_ place: Int) {
    guard let following = collections[place].following,
      collections[place].requests.count < options.maximumRequests
    else { return }
    collections[place].following = nil
    if isOnline {
      send(place, following.trigger, callers: following.callers)
    } else {
      finish(following.callers, .offline)
      collections[place].missed = following.trigger
    }
  }

  /// Discards all requests; nothing of them is written.
  mutating func endRequests(_ error: RepositoryError) {
    for place in collections.indices {
      if !planted(.answersSurviveLogout) {
        for number in collections[place].requests {
          requests[number] = nil
          act(.cancel(number))
        }
        collections[place].requests = []
      }
      finish(collections[place].takeAllCallers(), error)
      collections[place].missed = nil
    }
    if !planted(.waitingSurvivesLogout) { emissions.removeAll() }
  }
}
