package import CacheModel
import EvictionPolicies

extension ResponseStore {
  // MARK: Beginning

  /// Begins a fetch: from memory or the file while the body is fresh or no server can be reached, otherwise
  /// from the server, with one request for all callers.
  ///
  /// - Returns: the next step; and with a tag, the ticket for its state.
  package mutating func fetch(
    _ key: Key, fields: [HTTPField] = [], tag: TextKey? = nil, reloads: Bool = false,
    at now: Instant
  ) -> (step: FetchStep<Body>, keep: KeepTicket?) {
    precondition(isOpen, "the folder has not been opened")
    if let (ticket, answers) = requests.join(key, fields, tag: tag) {
      guard answers else { return (.follow(ticket), nil) }
      statistics.joined += 1
      return (.join(ticket), tag.map { pins.begin(key, tag: $0) })
    }
    let pin = tag.map { pins.begin(key, tag: $0) }
    statistics.fetches += 1
    let ticket = requests.begin(key, fields, tag: tag, reloads: reloads)
    return (begin(ticket, at: now), pin)
  }

  /// Returns whether a fetch's tag is stored by now.
  package mutating func keepState(_ ticket: KeepTicket) -> KeepState {
    guard let pin = pins[ticket] else { return .failed(.removed) }
    let state = state(of: pin)
    if state != .waiting { pins.end(ticket) }
    return state
  }

  /// Ends a wait, since its fetch has failed.
  package mutating func forget(_ ticket: KeepTicket) { pins.end(ticket) }

  private func state(of pin: Pins<Key>.Pin) -> KeepState {
    if let failure = pin.failure { return .failed(failure) }
    guard let entry = self[pin.key], entry.tags.contains(pin.tag) else {
      return .failed(.removed)
    }
    let isWritten = entry.pending == nil && metadata.flushed >= entry.promised
    return isWritten || planted(.keptInMemory) ? .kept : .waiting
  }

  private mutating func begin(_ ticket: RequestTicket, at now: Instant) -> FetchStep<Body> {
    guard let request = requests[ticket] else { return .failed(.offline) }
    // The entry's answer may belong to a different request.
    guard let entry = self[request.key], let version = entry.current,
      version.header.selects(request.fields) || planted(.selectionIgnored)
    else { return isOnline ? exchange(ticket, about: nil) : fail(ticket, .offline) }
    if !entry.alternatives.isEmpty && entry.pending == nil {
      return read(ticket, entry, freshness: nil, orElse: nil)
    }
    let isWelcome =
      !request.reloads && RequestDirectives(request.fields).accept(version, at: now)
    if version.isUsable(at: now), isWelcome || !isOnline {
      return provide(ticket, .fresh, orElse: nil, at: now)
    }
    guard !isOnline else { return exchange(ticket, about: entry) }
    return version.isUsableUnanswered(at: now)
      ? provide(ticket, .offline, orElse: .offline, at: now) : fail(ticket, .needsServer)
  }

  /// Sends a request, conditional if an entry is given.
  private mutating func exchange(_ ticket: RequestTicket, about entry: Entry?) -> FetchStep<Body> {
    requests[ticket]?.number = entry?.number ?? 0
    requests[ticket]?.condition = entry?.current?.condition
    statistics.requests += 1
    return .exchange(ticket, entry?.current?.condition)
  }

  private mutating func read(
    _ ticket: RequestTicket, _ entry: Entry, freshness: ResponseFreshness?,
    orElse failure: FetchFailure?
  ) -> FetchStep<Body> {
    requests[ticket]?.number = entry.number
    requests[ticket]?.freshness = freshness
    requests[ticket]?.failure = failure
    return .read(ticket, entry.current?.kind ?? .binary)
  }

  /// Serves the entry's body: from memory, otherwise from its file.
  private mutating func provide(
    _ ticket: RequestTicket, _ freshness: ResponseFreshness, orElse failure: FetchFailure?,
    at now: Instant
  ) -> FetchStep<Body> {
    guard let request = requests[ticket], let slot = slots[request.key], let entry = table[slot],
      let version = entry.current
    else { return fail(ticket, failure ?? .offline) }
    let body: (body: Body, source: ResponseSource)
    if let known = entry.pending?.body ?? memory.read(request.key) {
      body = (known, .memory)
    } else if let read = request.body, read.number == entry.number {
      body = (read.body, .disk)
      memory.insert(request.key, read.body, bytes: version.bytes, within: roomForBodies)
    } else if request.isUnreadable {
      return fail(ticket, failure ?? .transport("the stored body cannot be read"))
    } else {
      return read(ticket, entry, freshness: freshness, orElse: failure)
    }
    noteRead(of: slot, at: now)
    add(request.tags, to: slot, at: now)
    count(body.source, freshness)
    requests.end(ticket)
    return .served(
      Served(
        body: body.body, kind: version.kind, source: body.source, freshness: freshness,
        etag: version.etag, status: Int(version.status),
        fields: version.header == .none ? [] : version.header.served(age: version.age(at: now))))
  }

  private mutating func count(_ source: ResponseSource, _ freshness: ResponseFreshness) {
    switch freshness {
    case .confirmed: return
    case .stale:
      statistics.staleServed += 1
      return
    case .offline: statistics.offlineHits += 1
    case .fresh: break
    }
    if source == .memory { statistics.memoryHits += 1 } else { statistics.diskHits += 1 }
  }

  private mutating func fail(_ ticket: RequestTicket, _ failure: FetchFailure) -> FetchStep<Body> {
    requests.end(ticket)
    statistics.failures += 1
    return .failed(failure)
  }

  // MARK: Files

  /// Receives the result of reading a body's file, and returns the next step.
  package mutating func finishRead(
    _ ticket: RequestTicket, _ reading: BodyReading<Body>, at now: Instant
  ) -> FetchStep<Body> {
    guard let request = requests[ticket] else { return .failed(.offline) }
    // Replaced or removed meanwhile: the result is irrelevant.
    guard let slot = slots[request.key], let entry = table[slot], entry.number == request.number
    else { return begin(ticket, at: now) }
    switch reading {
    case .found(let body, let bytes, let digest, let isSound):
      let found = entry.fileVersions.last { version in
        version.bytes == bytes && (version.digest == nil ? isSound : version.digest == digest)
      }
      guard var version = found ?? (planted(.damageServed) ? entry.onDisk : nil) else {
        return lose(ticket, entry, isDamaged: true, at: now)
      }
      if !entry.alternatives.isEmpty || version.digest == nil {
        version.digest = digest
        setBody(of: slot) {
          $0.onDisk = version
          $0.alternatives = []
        }
        noteChange(of: slot, isPromise: false, at: now)
      }
      requests[ticket]?.body = (entry.number, body)
      guard let freshness = request.freshness else { return begin(ticket, at: now) }
      return provide(ticket, freshness, orElse: request.failure, at: now)
    case .absent: return lose(ticket, entry, isDamaged: false, at: now)
    case .unreadable:
      requests[ticket]?.isUnreadable = true
      if let failure = request.failure { return fail(ticket, failure) }
      return isOnline
        ? exchange(ticket, about: nil)
        : fail(ticket, .transport("the stored body cannot be read"))
    }
  }

  /// Removes an entry whose body is lost: its tags are passed on to the server's new body.
  private mutating func lose(
    _ ticket: RequestTicket, _ entry: Entry, isDamaged: Bool, at now: Instant
  ) -> FetchStep<Body> {
    if isDamaged { statistics.damagedBodies += 1 }
    notices.append(.damaged(entry.key))
    drop(entry.key, cause: .invalidated, at: now)
    for index in downloads.indices
    where downloads[index].record.state == .downloaded
      && entry.tags.contains(downloads[index].record.id)
    {
      setState(of: index, .downloading, at: now)
    }
    for tag in entry.tags where requests[ticket]?.tags.contains(tag) == false {
      requests[ticket]?.tags.append(tag)
    }
    if let failure = requests[ticket]?.failure { return fail(ticket, failure) }
    return isOnline ? exchange(ticket, about: nil) : fail(ticket, .offline)
  }

  // MARK: Servers

  /// Receives the result of a request, and returns the next step.
  package mutating func finishExchange(
    _ ticket: RequestTicket, _ exchange: Exchange<Body>, at now: Instant
  ) -> FetchStep<Body> {
    guard let request = requests[ticket] else { return .failed(.offline) }
    switch exchange {
    case .answered(let answer):
      switch answer.status {
      case 304: return confirm(ticket, request, answer, at: now)
      case 200..<400: return take(ticket, request, answer, at: now)
      case 500...: return endure(ticket, .serverError, .status(answer.status), at: now)
      default: return fail(ticket, .status(answer.status))
      }
    case .offline:
      guard let version = selected(by: request) else { return fail(ticket, .offline) }
      return version.isUsableUnanswered(at: now)
        ? provide(ticket, .offline, orElse: .offline, at: now) : fail(ticket, .needsServer)
    case .timedOut: return endure(ticket, .timeOut, .timedOut, at: now)
    case .failed(let words): return endure(ticket, .transport, .transport(words), at: now)
    case .invalid(let words): return endure(ticket, .transport, .invalid(words), at: now)
    }
  }

  /// Returns the stored body, if it matches the request of a fetch.
  private func selected(by request: InFlightRequests<Key, Body>.Request) -> BodyVersion? {
    guard let version = self[request.key]?.current else { return nil }
    return version.header.selects(request.fields) || planted(.selectionIgnored) ? version : nil
  }

  /// Serves the stored body despite a failure, if the options and the server allow it.
  private mutating func endure(
    _ ticket: RequestTicket, _ fault: ResponseOptions.Fault, _ failure: FetchFailure,
    at now: Instant
  ) -> FetchStep<Body> {
    guard options.servesStaleAfter.contains(fault), let request = requests[ticket],
      let version = selected(by: request), version.isUsableUnanswered(at: now),
      CacheFields(version.header.fields).staleIfError.map({
        version.staleAt.duration(to: now) < $0
      }) ?? true
    else { return fail(ticket, failure) }
    return provide(ticket, .stale(fault), orElse: failure, at: now)
  }

  /// Applies "not modified" to the stored body.
  private mutating func confirm(
    _ ticket: RequestTicket, _ request: InFlightRequests<Key, Body>.Request, _ answer: Answer<Body>,
    at now: Instant
  ) -> FetchStep<Body> {
    guard let asked = request.condition else {
      return fail(ticket, .invalid("304 in answer to a request without a condition"))
    }
    let said = KeptHeader(answer.header, request: request.fields)
    guard let slot = slots[request.key], let entry = table[slot], var version = entry.current,
      entry.number == request.number || planted(.confirmsAnyBody),
      Self.isAbout(asked, answer.etag, said)
    else {
      // For a different body than the one stored now: the complete answer is requested.
      return self.exchange(ticket, about: nil)
    }
    // A later request by the app may have changed it after the server checked.
    if request.isOutdated {
      requests[ticket]?.isOutdated = false
      return self.exchange(ticket, about: entry)
    }
    statistics.revalidations += 1
    let header = version.header.updated(with: said, request: request.fields)
    let ages = answer.header.filter { $0.name.lowercased() == "age" }
    let fields = header == .none ? answer.fields : CacheFields(header.fields + ages)
    let lifetime = fields.lifetime(
      asked: answer.asked, arrival: now, fallback: version.lifetime)
    version.permission =
      planted(.permissionForgotten) ? answer.fields.permission : fields.permission
    if header.byteCount <= KeptHeader.maximumBytes { version.header = header }
    if lifetime == nil || version.header != header { version.permission = .afterAsking }
    setTimes(of: &version, lifetime ?? ResponseLifetime(maximumAge: .zero), at: now)
    renew(slot, version, at: now)
    return provide(ticket, .confirmed, orElse: nil, at: now)
  }

  /// Returns whether a 304 is about the body in the condition (RFC 9111, section 4.3.4).
  private static func isAbout(
    _ asked: ResponseCondition, _ etag: String?, _ said: KeptHeader
  ) -> Bool {
    switch asked {
    case .etag(let asked): etag.map { opaque($0) == opaque(asked) } ?? true
    case .lastModified(let asked): said.lastModified.map { $0 == asked } ?? true
    }
  }

  /// Returns the same for `W/"x"` and `"x"`: for the weak comparison of If-None-Match.
  private static func opaque(_ etag: String) -> Substring {
    etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
  }

  /// Sets the beginning and the end of freshness, for an answer that arrives now.
  private func setTimes(
    of version: inout BodyVersion, _ lifetime: ResponseLifetime, at now: Instant
  ) {
    version.generatedAt = planted(.ageIgnored) ? now : now.advanced(by: .zero - lifetime.age)
    version.staleAt = version.generatedAt.advanced(by: lifetime.maximumAge)
  }

  /// The statuses of storable answers: complete bodies, and redirects.
  private static var storedStatuses: Set<Int> { [200, 203, 204, 301, 302, 303, 307, 308] }

  private mutating func take(
    _ ticket: RequestTicket, _ request: InFlightRequests<Key, Body>.Request, _ answer: Answer<Body>,
    at now: Instant
  ) -> FetchStep<Body> {
    let lifetime = answer.fields.lifetime(asked: answer.asked, arrival: now)
    let header = KeptHeader(answer.header, request: request.fields)
    if !canStore {
      pins.fail(request.key, .notWritten("the folder is \(disk)"))
    } else if Self.storedStatuses.contains(answer.status), answer.mayStore, !request.isOutdated,
      let lifetime, let digest = answer.digest, header.byteCount <= KeptHeader.maximumBytes,
      !RequestDirectives(request.fields).forbidsStoring,
      fits(answer.bytes + header.byteCount, for: request.key, tags: request.tags)
    {
      var version = BodyVersion(
        // A body with another status than 200 must not be recognised by its file name alone.
        kind: answer.status == 200 ? answer.kind : .binary, bytes: answer.bytes, digest: digest,
        etag: answer.etag, generatedAt: now, staleAt: now, permission: answer.fields.permission,
        status: UInt16(answer.status), header: header)
      setTimes(of: &version, lifetime, at: now)
      install(answer.body, version, for: request.key, tags: request.tags, at: now)
    } else {
      pins.fail(request.key, request.isOutdated ? .removed : .notStorable)
      // The stored body was requested, although it was not the one returned.
      if let slot = slots[request.key] { noteRead(of: slot, at: now) }
    }
    requests.end(ticket)
    return .served(
      Served(
        body: answer.body, kind: answer.kind, source: .network, freshness: .confirmed,
        etag: answer.etag, status: answer.status, fields: answer.header))
  }
}
