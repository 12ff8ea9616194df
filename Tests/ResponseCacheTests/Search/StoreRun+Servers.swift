import CacheModel
import ResponseCache

/// Fetches, and the answers of files and servers.
extension StoreRun {
  /// A body's properties, by the server or the app.
  struct Published {
    var key: Int
    var kind: ResponseKind
    var maximumAge: Int
    var permission = ResponsePermission.always
    /// Whether another request has another body, and which request has this one.
    var varies = false
    var variant = 0
    /// Whether a 304 says nothing but its ETag.
    var isTerse = false

    var header: [HTTPField] {
      let words = ["", ", must-revalidate", ", no-cache"][Int(permission.rawValue)]
      let fields = [HTTPField("Cache-Control", "max-age=\(maximumAge)\(words)")]
      return fields + (varies ? [HTTPField("Vary", "Accept")] : [])
    }
  }

  static func fields(_ variant: Int) -> [HTTPField] {
    variant == 0 ? [] : [HTTPField("Accept", "other")]
  }

  mutating func fetch(_ key: Int, tag: TextKey?, variant: Int) {
    if let tag { allowed.insert(Pair(key: key, tag: tag)) }
    let known = store.entry(for: ModelKey(number: key))?.version
    let fields = Self.fields(variant)
    let (next, keep) = store.fetch(ModelKey(number: key), fields: fields, tag: tag, at: now)
    if case .follow = next {
      // A caller would ask again, once that has ended.
      if !flights.contains(where: { $0.key == key }) { failure = "a fetch follows nothing" }
      return
    }
    if case .join(let ticket) = next {
      guard let index = flights.firstIndex(where: { $0.ticket == ticket }) else {
        failure = "a fetch joins nothing"
        return
      }
      if flights[index].variant != variant { failure = "a fetch joins one of another kind" }
      if let keep, let tag { flights[index].keeps.append((keep, tag)) }
      return
    }
    if case .exchange = next, let known, known.isUsable(at: now),
      known.header.selects(fields)
    {
      failure = "the server is asked for a fresh body"
    }
    if flights.contains(where: { $0.key == key }) { failure = "two fetch \(key) at once" }
    var flight = Flight(
      key: key, variant: variant, began: step, asked: now, decided: now, wasOnline: store.isOnline,
      wants: .file(.json))
    if let keep, let tag { flight.keeps.append((keep, tag)) }
    proceed(flight, next)
  }

  /// Takes the store's next step for a fetch.
  private mutating func proceed(_ flight: Flight, _ next: FetchStep<Int>) {
    var flight = flight
    switch next {
    case .served(let served): judge(served, flight)
    case .failed(let reason):
      judge(reason, flight)
      for keep in flight.keeps { store.forget(keep.ticket) }
    case .join, .follow: failure = "a fetch under way joins another"
    case .read(let ticket, let kind):
      (flight.ticket, flight.wants) = (ticket, .file(kind))
      (flight.decided, flight.wasOnline) = (now, store.isOnline)
      flights.append(flight)
    case .exchange(let ticket, let condition):
      (flight.ticket, flight.wants, flight.asked) = (ticket, .server(condition), now)
      flights.append(flight)
    }
  }

  mutating func answer(_ index: Int, _ fault: StoreStep.Fault?) {
    guard flights.indices.contains(index), flights[index].answer == nil else { return }
    switch flights[index].wants {
    case .file(let kind):
      flights[index].answer = .file(readFile(flights[index].key, kind, fault))
    case .server(let condition):
      flights[index].fault = fault
      flights[index].answer = .server(ask(index, condition, fault))
    }
  }

  private func readFile(
    _ key: Int, _ kind: ResponseKind, _ fault: StoreStep.Fault?
  ) -> BodyReading<Int> {
    if fault == .unreadable { return .unreadable }
    guard let file = disk.bodies[ModelFile(key: key, kind: kind)] else { return .absent }
    let body = file.body ?? -1
    return .found(body, bytes: file.bytes, digest: Self.digest(body), isSound: body >= 0)
  }

  private mutating func ask(
    _ index: Int, _ condition: ResponseCondition?, _ fault: StoreStep.Fault?
  ) -> Exchange<Int> {
    let flight = flights[index]
    guard let bodies = present[flight.key],
      let said = published[bodies[flight.variant % bodies.count]]
    else { return .offline }
    let body = bodies[flight.variant % bodies.count]
    flights[index].confirmed = body
    let isPresent = [Self.etag(body), Self.falseTag(body)].contains {
      condition == .etag($0)
    }
    var status = isPresent ? 304 : 200
    switch fault {
    case .serverError: status = 503
    case .notFound: status = 404
    case .timeOut: return .timedOut
    case .transport: return .failed("reset")
    case .offline: return .offline
    case .lyingConfirmation: status = 304
    case .lyingTag, .noStore, .unreadable, nil: break
    }
    let isLying = fault == .lyingTag || fault == .lyingConfirmation
    var header = fault == .noStore ? [HTTPField("Cache-Control", "no-store")] : said.header
    if status == 304, said.isTerse, fault != .noStore { header = [] }
    if status == 200 || status == 304 && isPresent {
      vouched[body] = step
      let until = now.advanced(by: .seconds(said.maximumAge))
      if fault != .noStore { freshUntil[body] = max(freshUntil[body] ?? until, until) }
    }
    return .answered(
      Answer(
        status: status, body: body, bytes: Self.bytes(body), digest: Self.digest(body),
        kind: said.kind, etag: isLying ? Self.falseTag(body) : Self.etag(body),
        fields: CacheFields(header), header: header, asked: flight.asked))
  }

  mutating func deliver(_ index: Int) {
    guard flights.indices.contains(index), let answer = flights[index].answer else { return }
    var flight = flights.remove(at: index)
    flight.answer = nil
    guard let ticket = flight.ticket else { return }
    switch answer {
    case .file(let reading):
      proceed(flight, store.finishRead(ticket, reading, at: now))
    case .server(let exchange):
      if case .answered(let answer) = exchange, answer.status < 400 { unknown.remove(flight.key) }
      if case .answered(let answer) = exchange, answer.status == 200 {
        broughtBy[answer.body] = flight.began
      }
      proceed(flight, store.finishExchange(ticket, exchange, at: now))
    }
  }
}
