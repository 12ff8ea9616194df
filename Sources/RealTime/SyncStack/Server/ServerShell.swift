import CacheModel
import FoundationEssentials
import NIOCore

/// Performs the actions of a ``SyncServer`` on one event loop, which calls every method.
final class ServerShell {
  private var server: SyncServer
  private let clock = MonotonicClock()
  private let decoder = SyncDecoder()
  private let encoder = SyncEncoder()
  private let note: @Sendable (String) -> Void
  private var channels: [SyncServer.ConnectionID: any Channel] = [:]
  private var lastID = 0

  /// The time limit for sending the last line of a closed connection.
  private static let farewell = TimeAmount.milliseconds(500)

  init(server: SyncServer, note: @escaping @Sendable (String) -> Void) {
    self.server = server
    self.note = note
  }

  /// Adds a new connection, and assigns its number.
  func open(_ channel: any Channel) -> SyncServer.ConnectionID {
    lastID += 1
    channels[lastID] = channel
    server.connect(lastID)
    return lastID
  }

  func closed(_ id: SyncServer.ConnectionID) {
    channels[id] = nil
    server.disconnect(id)
  }

  func receive(_ line: ByteBuffer, from id: SyncServer.ConnectionID) {
    do throws(SyncProtocolError) {
      let message = try decoder.message(from: Data(line.readableBytesView))
      carryOut(server.receive(message, from: id, at: clock.now))
    } catch {
      end(id, because: error)
    }
  }

  func beat() { carryOut(server.heartbeat()) }

  /// Ends a connection, and sends the reason if there is one.
  func end(_ id: SyncServer.ConnectionID, because reason: SyncProtocolError?) {
    guard let channel = channels.removeValue(forKey: id) else { return }
    server.disconnect(id)
    guard let reason else { return channel.close(promise: nil) }
    note("connection \(id): ended: \(reason)")
    let failure = SyncMessage.failure(.init(id: nil, reason: "\(reason)"))
    guard let line = try? encoder.line(of: failure) else { return channel.close(promise: nil) }
    channel.writeAndFlush(ByteBuffer(bytes: line)).whenComplete { _ in
      channel.close(promise: nil)
    }
    channel.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
  }

  private func carryOut(_ actions: [SyncServer.Action]) {
    for action in actions {
      switch action {
      case .send(let message, let ids):
        guard let line = try? encoder.line(of: message) else {
          for id in ids {
            end(id, because: .unexpected("a \(message.name) that JSON cannot say"))
          }
          continue
        }
        let bytes = ByteBuffer(bytes: line)
        for id in ids { channels[id]?.writeAndFlush(bytes, promise: nil) }
      case .end(let id, let reason):
        end(id, because: reason)
      }
    }
  }
}

/// One connection of a server, which passes its lines and its end to the shell.
final class ServerConnection: ChannelInboundHandler {
  /// A line without its terminator.
  typealias InboundIn = ByteBuffer

  private let shell: ServerShell
  private var id: SyncServer.ConnectionID?

  init(shell: ServerShell) {
    self.shell = shell
  }

  func channelActive(context: ChannelHandlerContext) {
    id = shell.open(context.channel)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let id { shell.receive(unwrapInboundIn(data), from: id) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let id { shell.closed(id) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let id else { return context.close(promise: nil) }
    if let error = error as? SyncProtocolError {
      shell.end(id, because: error)
    } else {
      // The peer has closed the connection.
      context.close(promise: nil)
    }
  }
}
