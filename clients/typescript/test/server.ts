// A real server with the demonstration's candles, in a folder of its own.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const binaries = resolve(process.env["SHOP_BINARIES"] ?? "../../target/debug");

export interface Server {
  url: string;
  /** Plays the customer's bank. */
  pay(orderNumber: string): void;
  stop(): void;
}

export async function start(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  const server = spawn(join(binaries, "shop-server"), ["--demo", "--listen", "127.0.0.1:0"], {
    cwd: folder,
    env: { SHOP_SHIPPING__CEP__URL: "offline" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await new Promise<string>((found, failed) => {
    let log = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      const listens = /listening on (http:\/\/\S+)/.exec(log)?.[1];
      if (listens) found(listens);
    });
    server.on("error", failed);
    server.on("exit", () => failed(new Error(`the server does not start:\n${log}`)));
  });
  return {
    url,
    pay(orderNumber) {
      execFileSync(join(binaries, "shop-cli"), ["sandbox", "pay", orderNumber], { cwd: folder, env: {} });
    },
    stop() {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
