import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, FindlingError } from "../../errors/index.js";
import { JSON_TYPE, linesOf } from "../answers/envelope.js";
import { type ErrorBody, errorBody } from "../answers/error-answer.js";

interface SocketError extends Error {
  readonly code?: string;
}

/**
 * Answers what is not even an HTTP request, in the same envelope as every other error, and closes.
 * A status that no route has (431) occurs only here.
 */
export function answerSocketError(error: SocketError, socket: Socket, corsHeaders: readonly string[]): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = problemOf(error.code);
  const body: ErrorBody = { ...errorBody(new FindlingError(code, message)), status };
  const text = JSON.stringify(body);
  const head = linesOf([
    "content-type",
    JSON_TYPE,
    "content-length",
    String(Buffer.byteLength(text)),
    "connection",
    "close",
    ...corsHeaders,
  ]);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
}

interface Problem {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        code: "invalid_request",
        message: "the request line and headers are larger than 16 KiB",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        code: "invalid_request",
        message: "the request did not arrive completely in time",
      };
    default:
      return {
        status: 400,
        code: "invalid_request",
        message: "the request is not valid HTTP/1.1",
      };
  }
}
