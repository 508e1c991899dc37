import type { Socket } from "node:net";
import { type ErrorCode, FindlingError } from "../errors/index.js";
import type { Headers } from "./cors.js";
import { type ErrorBody, errorBody } from "./error-response.js";

interface SocketError extends Error {
  readonly code?: string;
}

/**
 * Answers what is not even an HTTP request, in the same envelope as every other error, and closes.
 * Statuses that no route has (408, 431) occur only here.
 */
export function answerSocketError(error: SocketError, socket: Socket, corsHeaders: Headers): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, reason, code, message } = problemOf(error.code);
  const body: ErrorBody = { ...errorBody(new FindlingError(code, message)), status };
  const text = JSON.stringify(body);
  const headers = Object.entries({
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    ...corsHeaders,
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head}\r\n${text}`);
}

interface Problem {
  readonly status: number;
  readonly reason: string;
  readonly code: ErrorCode;
  readonly message: string;
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        reason: "Request Header Fields Too Large",
        code: "invalid_request",
        message: "the request line and headers are larger than 16 KiB",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        reason: "Request Timeout",
        code: "invalid_request",
        message: "the request did not arrive completely in time",
      };
    default:
      return {
        status: 400,
        reason: "Bad Request",
        code: "invalid_request",
        message: "the request is not valid HTTP/1.1",
      };
  }
}
