import {describeOperation} from '../domain/describe-operation.ts';
import type {OwnConnection} from '../domain/own-connection.ts';
import {DEFAULT_PREFERENCES, keeping, type Preferences} from '../domain/preferences.ts';
import {isEnded} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {type Cancel, type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Mute} from '../domain/triage/mute.ts';
import type {Target} from '../panes/command.ts';
import type {Pane, PlainTable, Scene} from '../panes/pane.ts';
import type {Journal, Latest} from '../state/journal.ts';
import type {MachinePasts} from '../state/machine-pasts.ts';
import type {Mutes} from '../state/mutes.ts';
import type {Operations} from '../state/operation.ts';
import {paced} from '../state/pace.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {Poller} from '../state/poller.ts';
import type {PrometheusMetrics} from '../state/prometheus-metrics.ts';
import type {Store} from '../state/store.ts';
import {allListChanges} from '../resources/resources.ts';
import {SeenChanges} from '../state/timeline.ts';
import {alertWants, lastTriage, type LinkFacts, presentTriage, TRIAGE_LISTS} from '../state/triage.ts';
import type {ProgramEnd} from '../terminal/run-program.ts';
import {currentField, formValues, settledForm} from '../ui/form.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {type AlertHost, Alerts} from './alerts.ts';
import {ANSWER_LIMIT_MS, isExpired} from './confirm.ts';
import {Created} from './created.ts';
import {GpuWatch, type StartProgram} from './gpu-watch.ts';
import {MuteSteps} from './mute-steps.ts';
import {FindingTour} from './next-finding.ts';
import type {Overlay} from './overlay.ts';
import {createPlaces} from './places.ts';
import {Repaints} from './repaints.ts';
import {OneTimeSecrets, secretWants} from './one-time-secret.ts';
import {createWrites, type Writes} from './writes.ts';

type Notification = {
  readonly text: SafeText;
  readonly tone: Tone;
  readonly shownAt: MonotonicMs;
  /** The operation it is about: whether that can be undone is said with it. */
  readonly operationId?: string;
};

/** What lies outside the deck and is done for it by `main`. */
export type DeckHost = {
  readonly leave: (exitCode: number) => void;
  readonly suspend: () => void;
  /** Gives the terminal to another program until it ends. */
  readonly run: (words: readonly string[]) => Promise<ProgramEnd>;
  /** Runs another program beside the deck, and tells what it prints. */
  readonly watch: (words: readonly string[]) => StartProgram;
  readonly redraw: () => void;
  readonly copy: (...lines: readonly SafeText[]) => void;
  /** Writes the screen and its table to files; says where, or why not. */
  readonly saveScreen: (table: PlainTable) => SafeText;
};

export type TerminalSize = {readonly columns: number; readonly rows: number};

/** Everything a person has chosen, and the last thing they were told. It changes only through the functions here. */
export type Deck = {
  readonly host: DeckHost;
  readonly isSimulated: boolean;
  readonly writes: Writes;
  readonly poller: Poller;
  readonly panes: readonly Pane[];
  readonly pane: () => Pane;
  /** Opens a pane, with the cursor on an object of it where one is named; `back` leads back. */
  readonly goTo: (paneId: string, target?: Target) => void;
  /** One step back, or forward again; false where there is none. */
  readonly back: () => boolean;
  readonly forward: () => boolean;
  readonly findingTour: FindingTour;
  readonly overlay: () => Overlay | undefined;
  readonly setOverlay: (overlay: Overlay | undefined) => void;
  /** Shows what a machine tells of its GPUs; closing the box ends it. */
  readonly watchGpus: (asked: {readonly name: SafeText; readonly words: readonly string[]}) => void;
  /** A secret is on the screen, or was a moment ago: what is painted now must not be kept. */
  readonly isSecretInSight: () => boolean;
  /** A question was withdrawn a moment ago, and what is still being typed was meant for it. Asked once for each key. */
  readonly swallowsKey: () => boolean;
  readonly notification: () => Notification | undefined;
  readonly notify: (text: SafeText, tone?: Tone) => void;
  readonly size: () => TerminalSize;
  readonly resize: (size: TerminalSize) => void;
  /** Takes findings from the list, or puts them back. */
  readonly muteSteps: MuteSteps;
  /** A key of the open pane was pressed: its cursor holds its object from now on. */
  readonly choose: () => void;
  readonly scene: () => Scene;
  /** The scene of the latest repaint: the same until the next one. */
  readonly shown: () => Scene;
  readonly now: () => MonotonicMs;
  readonly after: Clock['after'];
  /** A key or a command has changed what is to be seen: painted at once. */
  readonly changed: () => void;
  readonly subscribe: (listener: () => void) => Cancel;
  /** Readings are not painted while this is so. */
  readonly holdReadings: (isHeld: () => boolean) => void;
  readonly stop: () => void;
};

const NOTIFICATION_MS: DurationMs = 12 * SECOND_MS;
/** A clock that jumped this far means a stopped terminal or a lid that was closed: an open question is no longer true. */
const STALL_MS: DurationMs = 5 * SECOND_MS;
/** The longest pause between two letters of a name that is being typed. */
const TYPING_PAUSE_MS: DurationMs = 1500;
/** A file is not read for every frame. */
const JOURNAL_AGE_MS: DurationMs = 5 * SECOND_MS;
/** Content without seconds is rebuilt this often while nothing is read, as dates and ages change. */
const QUIET_MS: DurationMs = 10 * SECOND_MS;
const NO_MUTES: readonly Mute[] = [];
const NO_JOURNAL: Latest = {entries: [], raws: [], unreadableCount: 0};
/** What asks for an answer. */
type Asking = Extract<Overlay, {readonly shownAt: MonotonicMs}>;
/** What was not done because the question was not answered. */
const WITHDRAWN: Readonly<Record<Asking['kind'], SafeText>> = {
  question: say`question closed: nothing was sent`,
  ssh: say`ssh was not started`,
  unlock: say`still read-only`,
  leave: say`skydeck stays open`,
};
/** Header, tabs, message line, key line. */
const FRAME_ROWS = 4;

export function createDeck(options: {
  readonly panes: readonly Pane[];
  readonly store: Store;
  readonly operations: Operations | undefined;
  /** Makes the client that can send, where it does not exist from the start. */
  readonly unlock?: (() => Operations) | undefined;
  readonly poller: Poller;
  /** What gives the machines' metrics beside the service. */
  readonly prometheus?: Pick<PrometheusMetrics, 'look' | 'takeNews'> | undefined;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly preferences?: Preferences;
  readonly size: TerminalSize;
  readonly journal?: Pick<Journal, 'latest'> | undefined;
  readonly mutes?: Pick<Mutes, 'all' | 'add' | 'remove'> | undefined;
  readonly pasts?: MachinePasts | undefined;
  readonly alertHost?: AlertHost | undefined;
  readonly linkFacts?: (() => LinkFacts) | undefined;
  /** The SSH session that the deck runs in. */
  readonly ownConnection?: OwnConnection | undefined;
  /** The built-in simulator stands in for an account. */
  readonly isSimulated?: boolean;
  readonly host: DeckHost;
}): Deck {
  const {panes, store, poller, clock, theme, preferences = DEFAULT_PREFERENCES, mutes, host} = options;
  const preferencesNow = withKept(preferences);
  const places = createPlaces(panes);
  const repaints = new Repaints(clock);
  const created = new Created();
  const secrets = new OneTimeSecrets();
  const changes = new SeenChanges(allListChanges());
  const journalOnDisk = keptFor(JOURNAL_AGE_MS, clock, () => options.journal?.latest() ?? NO_JOURNAL);
  const openedAt = clock.wallNow();
  let cancelTick: Cancel | undefined;
  let cancelWant: Cancel | undefined;
  let overlay: Overlay | undefined;
  const chosenPaneIds = new Set<string>();
  let notification: Notification | undefined;
  let size = options.size;
  let shown: Scene | undefined;
  let occasion: {readonly at: MonotonicMs; readonly of: readonly unknown[]} = {at: clock.monotonicNow(), of: []};
  let tickedAt = clock.monotonicNow();
  /** When a question was withdrawn, or a key after it was swallowed. */
  let swallowedAt = Number.NEGATIVE_INFINITY;

  const {alertHost} = options;
  const alerts =
    alertHost === undefined
      ? undefined
      : new Alerts(preferences.alerts, alertHost, trouble => notify(trouble, 'warning'));

  const unsubscribes = [store.subscribe(dataChanged), poller.subscribe(dataChanged)];
  const writes = createWrites({
    operations: options.operations,
    unlock: options.unlock,
    onOperations: operations => unsubscribes.push(operations.subscribe(announce)),
  });
  tick();

  function scene(): Scene {
    const rows = Math.max(1, size.rows - FRAME_ROWS);
    return {
      store,
      operations: writes.operations(),
      health: poller.health(),
      now: clock.wallNow(),
      openedAt,
      monotonicNow: clock.monotonicNow(),
      size: {columns: size.columns, rows},
      theme,
      preferences: preferencesNow(mutes?.all() ?? NO_MUTES),
      mutes: mutes?.all() ?? NO_MUTES,
      pasts: options.pasts,
      hasPrometheus: options.prometheus !== undefined,
      link: options.linkFacts?.(),
      hasChosen: chosenPaneIds.has(places.pane().id),
      isWatched: true,
      ownConnection: options.ownConnection,
      journal: journalOnDisk,
      undoable: writes.undo()?.undoable,
      changes,
      occasion,
    };
  }

  function changed(): void {
    settle();
    want();
    occasion = {at: clock.monotonicNow(), of: news()};
    paint();
  }

  /** What readings lead to is asked for when they stand on the screen. */
  function paintReadings(): void {
    settle();
    occasion = {at: clock.monotonicNow(), of: news()};
    paint();
    cancelWant ??= clock.after(0, want);
  }

  function settle(): void {
    const current = places.pane();
    lookAtPrometheus();
    occasion = {at: clock.monotonicNow(), of: []};
    changes.look(scene());
    const target = overlay === undefined ? created.take(current, store) : undefined;
    if (target !== undefined) current.goTo(target);
    current.settle(scene());
    overlay ??= secrets.next(clock.monotonicNow());
    if (overlay?.kind === 'form') overlay = {...overlay, state: settledForm(overlay.state, overlay.form.fieldsFor)};
  }

  function want(): void {
    cancelWant?.();
    cancelWant = undefined;
    poller.want('pane', paced(places.pane().wants(scene()), preferences));
    poller.want('overlay', overlayWants());
  }

  function paint(): void {
    shown = scene();
    repaints.now();
  }

  /** What a repaint is made for, apart from the clock. */
  function news(): readonly unknown[] {
    const {mode, watched} = writes;
    return [
      store.version(),
      poller.health().status,
      overlay,
      notification,
      watched()?.version(),
      mode().access,
      mode().isDryRun,
      mutes?.all(),
      places.pane(),
      // Readings are judged together a moment later.
      lastTriage(store),
    ];
  }

  /** Only the clock goes on: there is no news, and nothing on the screen counts seconds beside the ages. */
  function isQuiet(now: MonotonicMs): boolean {
    if (overlay !== undefined || poller.health().status !== 'up' || now - occasion.at >= QUIET_MS) return false;
    if (
      writes
        .watched()
        ?.all()
        .some(({phase}) => !isEnded(phase)) === true
    )
      return false;
    const present = news();
    return present.length === occasion.of.length && present.every((each, index) => each === occasion.of[index]);
  }

  /** Also while another pane is open, where somebody wants to be told; what is wanted there has its own pace. */
  function watchForAlerts(): void {
    if (alerts?.isOn !== true) return;
    const moment = scene();
    poller.want('alerts', alertWants(moment));
    const isWhole = TRIAGE_LISTS.every(({feed}) => store.get(feed).status !== 'waiting');
    alerts.check(presentTriage(moment).findings, {isWhole, now: moment.monotonicNow});
  }

  /** Before anything is wanted: what it gives is not asked for. */
  function lookAtPrometheus(): void {
    options.prometheus?.look();
    const news = options.prometheus?.takeNews();
    if (news !== undefined) notify(news, 'warning');
  }

  function dataChanged(): void {
    repaints.soon(`${store.version()} ${poller.health().status}`, paintReadings);
  }

  /** Ages and the clock move once a second, without any request. */
  function tick(): void {
    const now = clock.monotonicNow();
    if (overlay !== undefined && 'shownAt' in overlay) {
      const stoodStillMs = now - tickedAt;
      if (stoodStillMs > STALL_MS)
        withdraw(overlay, say`the terminal was suspended for ${Math.round(stoodStillMs / SECOND_MS)} s`);
      else if (isExpired(overlay, now)) withdraw(overlay, say`no answer for ${ANSWER_LIMIT_MS / SECOND_MS} s`);
    }
    tickedAt = now;
    lookAtPrometheus();
    watchForAlerts();
    if (writes.expire(now)) {
      if (overlay?.kind === 'question' || overlay?.kind === 'form') {
        overlay = undefined;
        swallowedAt = now;
      }
      notify(say`writes are locked again`, 'warning');
    }
    if (notification !== undefined && now - notification.shownAt > NOTIFICATION_MS) notification = undefined;
    if (isQuiet(now)) {
      changes.look(scene());
      paint();
    } else changed();
    cancelTick = clock.after(SECOND_MS - (clock.wallNow() % SECOND_MS), tick);
  }

  function withdraw({kind}: Asking, reason: SafeText): void {
    overlay = undefined;
    swallowedAt = clock.monotonicNow();
    notify(say`${reason}: ${WITHDRAWN[kind]}`, 'warning');
  }

  function overlayWants(): readonly Want[] {
    if (overlay?.kind === 'form')
      return overlay.form.wants?.(formValues(overlay.state), currentField(overlay.state)?.key) ?? [];
    return overlay?.kind === 'secret' ? secretWants(overlay, store, clock.monotonicNow()) : [];
  }

  /** What was shown once leaves every place in which it was kept. */
  function replaceOverlay(next: Overlay | undefined): void {
    const closed = overlay?.kind === 'secret' ? overlay.secret : undefined;
    if (overlay?.kind === 'gpus') overlay.watch.stop();
    overlay = next;
    if (closed === undefined || (next?.kind === 'secret' && next.secret === closed)) return;
    secrets.close(clock.monotonicNow());
    if (closed.kind === 'access-key') writes.watched()?.dropSecret(closed.operationId);
    else poller.forget(closed.feed);
  }

  function announce(operation: Parameters<typeof describeOperation>[0]): void {
    const told = describeOperation(operation);
    created.note(operation);
    notification = {...told, shownAt: clock.monotonicNow(), operationId: operation.id};
    const secret = secrets.add(operation);
    if (secret !== undefined && overlay !== undefined) {
      notify(say`${secret.title}: shown as soon as this is closed`);
    }
    changed();
  }

  /** A notification about one screen is dropped on another one; the outcome of an operation stays. */
  function leaveScreen(): void {
    if (notification?.operationId === undefined) notification = undefined;
  }

  function isElsewhere(hasMoved: boolean): boolean {
    if (hasMoved) leaveScreen();
    return hasMoved;
  }

  function notify(text: SafeText, tone: Tone = 'text'): void {
    notification = {text, tone, shownAt: clock.monotonicNow()};
  }

  return {
    host,
    isSimulated: options.isSimulated === true,
    writes,
    poller,
    panes,
    pane: places.pane,
    goTo: (paneId, target) => {
      leaveScreen();
      places.goTo(paneId, target);
      replaceOverlay(undefined);
    },
    back: () => isElsewhere(places.back()),
    forward: () => isElsewhere(places.forward()),
    findingTour: new FindingTour(),
    overlay: () => overlay,
    setOverlay: replaceOverlay,
    watchGpus: ({name, words}) => {
      const watch = new GpuWatch({name, start: host.watch(words), clock, changed});
      replaceOverlay({kind: 'gpus', watch});
    },
    isSecretInSight: () => overlay?.kind === 'secret' || secrets.hasJustClosed(clock.monotonicNow()),
    swallowsKey: () => {
      const now = clock.monotonicNow();
      if (overlay !== undefined || now - swallowedAt > TYPING_PAUSE_MS) return false;
      swallowedAt = now;
      return true;
    },
    notification: () => notification,
    notify,
    size: () => size,
    resize: next => {
      size = next;
      // What was laid out anew, or could not be seen until now, has to be read anew before it is answered.
      if (overlay !== undefined && 'shownAt' in overlay) overlay = {...overlay, shownAt: clock.monotonicNow()};
      changed();
    },
    muteSteps: new MuteSteps(mutes),
    choose: () => {
      created.forget();
      chosenPaneIds.add(places.pane().id);
    },
    scene,
    shown: () => {
      shown ??= scene();
      return shown;
    },
    now: clock.monotonicNow,
    after: clock.after,
    changed,
    subscribe: listener => repaints.subscribe(listener),
    holdReadings: isHeld => repaints.holdReadings(isHeld),
    stop: () => {
      replaceOverlay(undefined);
      for (const unsubscribe of unsubscribes) unsubscribe();
      cancelTick?.();
      cancelWant?.();
      repaints.stop();
      poller.stop();
    },
  };
}

/** The preferences with what is kept besides the settings; the same ones until that changes. */
function withKept(preferences: Preferences): (mutes: readonly Mute[]) => Preferences {
  let made: {readonly mutes: readonly Mute[]; readonly preferences: Preferences} | undefined;
  return mutes => {
    if (made?.mutes !== mutes) made = {mutes, preferences: keeping(preferences, mutes)};
    return made.preferences;
  };
}

/** The same value for a while, made only when somebody asks for it. */
function keptFor<T>(ageMs: DurationMs, clock: Clock, make: () => T): () => T {
  let kept: {readonly value: T; readonly madeAt: MonotonicMs} | undefined;
  return () => {
    const now = clock.monotonicNow();
    if (kept === undefined || now - kept.madeAt >= ageMs) kept = {value: make(), madeAt: now};
    return kept.value;
  };
}
