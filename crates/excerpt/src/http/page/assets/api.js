/** The server's API: the session, requests and events. */
import { withQuery } from "./route.js";

const KEY = "excerpt.session";
const MOST_TRIES = 5;
const LONGEST_PAUSE = 30;

let session = "";

/**
 * Takes the session out of the address, where the server's redirect puts it, and keeps it. Local
 * storage belongs to one port; a cookie would belong to all of them.
 */
export function adoptSession() {
  const given = new URLSearchParams(location.hash.slice(1)).get("session");
  if (given) history.replaceState(history.state, "", location.pathname + location.search);
  try {
    if (given) localStorage.setItem(KEY, given);
    session = given || localStorage.getItem(KEY) || "";
  } catch {
    session = given ?? "";
  }
}

/** An answer that is an error, as the server describes it (RFC 9457). */
class Problem extends Error {
  /**
   * @param {number} status 0 if there was no answer
   * @param {{field: string, detail: string}[]} [errors]
   * @param {number} [retryAfter] seconds
   */
  constructor(status, detail, errors = [], retryAfter = 0) {
    super(detail);
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }

  /** @param {Response} response */
  static async of(response) {
    const body = await response.json().catch(() => ({}));
    const detail = body.detail ?? body.title ?? `The server answered with status ${response.status}`;
    return new Problem(response.status, detail, body.errors, Number(response.headers.get("retry-after")) || 0);
  }
}

/**
 * Sends a request, again as long as the server asks to wait.
 * @param {RequestInit} options
 * @param {(problem: Problem) => void} [waiting] is called before each pause
 */
async function request(path, options, waiting) {
  const headers = { ...options.headers, authorization: `Bearer ${session}` };
  for (let tries = 1; ; tries++) {
    const response = await fetch(path, { ...options, headers }).catch((error) => {
      throw options.signal?.aborted ? error : new Problem(0, "The server does not answer. Is `excerpt serve` still running?");
    });
    if (response.ok) return response;
    if (response.status === 401) dispatchEvent(new CustomEvent("excerpt:signed-out"));
    const problem = await Problem.of(response);
    if (problem.retryAfter === 0 || tries === MOST_TRIES) throw problem;
    waiting?.(problem);
    await pause(Math.min(problem.retryAfter, LONGEST_PAUSE), options.signal);
  }
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} [parameters]
 * @param {{signal?: AbortSignal, waiting?: (problem: Problem) => void}} [options]
 * @returns {Promise<any>}
 */
export async function get(path, parameters = {}, { signal, waiting } = {}) {
  const response = await request(withQuery(path, parameters), { signal }, waiting);
  return response.json();
}

/** @returns {Promise<any>} */
export async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  const response = await request(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  return response.json();
}

/** The address of a document in the API. An encoded slash keeps `..` from leaving it. */
export const documentPath = (target) => `/v1/documents/${encodeURIComponent(target)}`;

/**
 * Server-sent events, read with `fetch` because an `EventSource` sends no header. Connects again
 * after an interruption, each time after a longer pause.
 * @param {(name: string, data: any) => void} receive
 * @param {(problem: unknown) => void} interrupted
 */
export async function events(path, signal, receive, interrupted) {
  for (let seconds = 1; !signal.aborted; seconds = Math.min(seconds * 2, LONGEST_PAUSE)) {
    try {
      const response = await request(path, { signal, headers: { accept: "text/event-stream" } });
      for await (const [name, data] of parsed(response.body)) {
        receive(name, data);
        seconds = 1;
      }
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && error.status === 401)) return;
      interrupted(error);
    }
    await pause(seconds, signal).catch(() => {});
  }
}

/** @param {ReadableStream<any>} body @returns {AsyncGenerator<[string, any]>} */
async function* parsed(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (buffer + value.replaceAll("\r", "")).split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const event = parsedEvent(block);
      if (event) yield event;
    }
  }
}

/** @returns {[string, any] | null} */
function parsedEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5));
  }
  return data.length > 0 ? [name, JSON.parse(data.join("\n"))] : null;
}

/**
 * Wraps `work` so that only its newest call goes on: a call aborts the one before it, and the
 * aborted one returns `undefined`.
 * @template {unknown[]} A
 * @template R
 * @param {(signal: AbortSignal, ...args: A) => Promise<R>} work
 * @returns {(...args: A) => Promise<R | undefined>}
 */
export function latest(work) {
  let running = new AbortController();
  return async (...args) => {
    running.abort();
    const own = (running = new AbortController());
    try {
      return await work(own.signal, ...args);
    } catch (error) {
      if (!own.signal.aborted) throw error;
    }
  };
}
