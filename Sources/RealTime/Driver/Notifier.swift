/// The control: an actor without a cache, which calls observers.
actor Notifier {
  /// The observers of each listing.
  private var observers: [[@Sendable () -> Void]]

  init(_ observers: [[@Sendable () -> Void]]) {
    self.observers = observers
  }

  func observe(_ listing: Int, _ observer: @escaping @Sendable () -> Void) {
    observers[listing].append(observer)
  }

  /// Receives an event, as a cache does, and notifies the observers of one listing.
  func receive<Event: Sendable>(
    _ event: consuming Event, of listing: Int, committed: (@Sendable () -> Void)? = nil
  ) {
    committed?()
    for observer in observers[listing] { observer() }
  }
}
