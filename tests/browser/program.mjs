// The page program as a child process: commands in, answers out.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Program {
  #waiting = [];

  static async start(path, ...options) {
    const program = new Program();
    program.child = spawn(path, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: program.child.stdout }).on('line', (line) => program.#waiting.shift()?.(line));
    program.ended = new Promise((resolve) => program.child.on('exit', resolve));
    program.url = await program.#line();
    return program;
  }

  #line() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async tell(command) {
    const answer = this.#line();
    this.child.stdin.write(`${command}\n`);
    const line = await answer;
    if (line !== 'ok') throw new Error(`${command.slice(0, 80)}: ${line}`);
  }

  apply(object) {
    return this.tell(`apply ${JSON.stringify(object)}`);
  }

  async stop() {
    this.child.stdin.end();
    return this.ended;
  }
}

export function pod(name, { labels = {}, phase = 'Running', namespace = 'default' } = {}) {
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'registry.example/web:1' }] }, status: { phase },
  };
}
