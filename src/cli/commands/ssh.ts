import {Command} from 'commander';
import {shellLine} from '../../actions/shell-line.ts';
import type {ConnectionFlags} from '../../config/options.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {environmentWithoutKey, offReason, sshLine, sshWarnings} from '../../domain/ssh.ts';
import {openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {addConnectionOptions} from '../connection-options.ts';
import {EXIT, exitCodeOf} from '../../domain/exit-codes.ts';
import {findMachine} from '../operations/plan.ts';
import {openProgress} from '../print/progress.ts';

type SshFlags = ConnectionFlags & {
  readonly user?: string;
  readonly jump?: string;
  readonly identity?: string;
  readonly print?: boolean;
};

/** `skydeck ssh`: the person's own `ssh`, with address and user filled in. It changes nothing in the cloud. */
export const sshCommand: BuildCommand = (io, end) => {
  const command = new Command('ssh')
    .description(
      "Run the system's ssh to the address of a machine. The exit code is that of ssh; a machine that is off is not tried.",
    )
    .argument('<vm>', 'its id or name')
    .argument('[command...]', 'the command to run, after --; a login shell by default')
    .option('--user <name>', 'the user to log in as; that of the image by default')
    .option('-J, --jump <host>', 'a host to go through, as ssh -J, for a machine without a public address')
    .option('-i, --identity <file>', 'the private key to log in with, as ssh -i')
    .option('--print', 'print the ssh command without running it')
    .optionsGroup('Common options:');
  return addConnectionOptions(command).action(async (wanted: string, words: readonly string[], flags: SshFlags) =>
    end(await runSsh(io, wanted, words, flags)),
  );
};

/** With user and port if given; nothing that ssh could take for an option. */
const HOST = String.raw`(?:[\w.][\w.-]*@)?[\w.[\]][\w.:[\]-]*`;
/** Several jump hosts in a row. */
const JUMP = new RegExp(`^${HOST}(?:,${HOST})*$`);

async function runSsh(io: CommandIo, wanted: string, command: readonly string[], flags: SshFlags): Promise<number> {
  const {user, jump, identity} = flags;
  if (jump !== undefined && !JUMP.test(jump)) {
    return failed(io, '--jump needs a host such as bastion, ana@bastion or ana@192.0.2.7:2222', EXIT.usage);
  }
  if (identity?.startsWith('-') === true) {
    return failed(io, '--identity needs a file; write ./ before a name that begins with -', EXIT.usage);
  }
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, `reading ${wanted}`);
  const reader = readerOf(account, {signal: io.gone, progress: progress.say});
  const found = await findMachine(reader, wanted);
  progress.end();
  if (!found.ok && 'mistake' in found) return failed(io, found.mistake, EXIT.usage);
  if (!found.ok)
    return failed(io, account.redact(`ssh: ${describeReadFailure(found.failure)}`), exitCodeOf(found.failure, 'read'));
  const machine = found.value;
  const options = [...(jump === undefined ? [] : ['-J', jump]), ...(identity === undefined ? [] : ['-i', identity])];
  const line = sshLine(machine, {user, command, options});
  if (!line.ok) return failed(io, line.reason, line.about === 'user' ? EXIT.usage : EXIT.refused);
  const off = flags.print === true ? undefined : offReason(machine);
  if (off !== undefined) return failed(io, off, EXIT.refused);
  for (const warning of sshWarnings(machine, {through: jump})) complain(io, warning);
  if (flags.print === true) {
    await print(io, `${shellLine(line.words)}\n`);
    return EXIT.done;
  }
  const ended = await io.runProgram(line.words, environmentWithoutKey(io.environment, account.redact));
  if (ended.kind === 'not-started')
    return failed(io, say`ssh cannot be started: ${safeText(ended.reason)}`, EXIT.usage);
  return ended.exitCode;
}
