// The server's side of a WebSocket (RFC 6455): the handshake, text and binary messages that fit one
// frame, pings, and the end.

import { createHash } from "node:crypto";

const suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class Socket {
  constructor(request, stream, protocol, onText) {
    const key = createHash("sha1").update(request.headers["sec-websocket-key"] + suffix).digest("base64");
    const lines = [
      "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${key}`, ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
    ];
    stream.write(`${lines.join("\r\n")}\r\n\r\n`);
    this.stream = stream;
    this.open = true;
    let rest = Buffer.alloc(0);
    stream.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (let frame = this.frame(rest); frame; frame = this.frame(rest)) {
        rest = rest.subarray(frame.length);
        if (frame.opcode === 8) this.close();
        else if (frame.opcode === 9) this.write(10, frame.content);
        else if (frame.opcode === 1) onText(frame.content.toString(), this);
      }
    });
    stream.on("close", () => (this.open = false));
    stream.on("error", () => (this.open = false));
  }

  /** The first whole frame of what came, unmasked. */
  frame(bytes) {
    if (bytes.length < 2) return undefined;
    let size = bytes[1] & 127;
    let at = 2;
    if (size === 126) {
      if (bytes.length < 4) return undefined;
      size = bytes.readUInt16BE(2);
      at = 4;
    }
    const length = at + 4 + size;
    if (bytes.length < length) return undefined;
    const mask = bytes.subarray(at, at + 4);
    const content = Buffer.from(bytes.subarray(at + 4, length)).map((byte, index) => byte ^ mask[index % 4]);
    return { opcode: bytes[0] & 15, content, length };
  }

  write(opcode, content) {
    if (!this.open) return;
    const size = content.length;
    const head = size < 126 ? Buffer.from([128 | opcode, size])
      : Buffer.from([128 | opcode, 126, size >> 8, size & 255]);
    this.stream.write(Buffer.concat([head, content]));
  }

  send(value) {
    this.write(1, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
  }

  close() {
    this.write(8, Buffer.from([3, 232]));
    this.open = false;
    this.stream.end();
  }
}
