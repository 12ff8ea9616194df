/// What one end of a connection puts up with from the other.
package struct WireLimits: Hashable, Sendable {
  /// The longest line taken, in bytes without its end; whoever sends a longer one is disconnected.
  package var lineBytes = 8 << 20
  /// How long a line may take from its first byte to its end.
  package var lineSeconds = 5.0
  /// How long a connection may wait before it says hello.
  package var helloSeconds = 5.0
  /// The most bytes that may wait for a peer to read them; beyond it the peer is disconnected.
  package var outboundBytes = 16 << 20
  /// The most connections that a server holds at a time.
  package var connections = 2_048
  /// The most lines, and bytes, that a client holds undecoded before it stops reading its socket.
  package var inboxLines = 4_096
  package var inboxBytes = 16 << 20
  /// For how long a client believes in a server that says nothing; heartbeats come far more often.
  package var silenceSeconds = 5.0

  package init() {}
}
