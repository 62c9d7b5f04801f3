import {DEFAULT_PREFERENCES} from '../domain/preferences.ts';
import type {Operation} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {type Cancel, type Clock, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Target} from '../panes/command.ts';
import type {Pane, PlainTable, Scene} from '../panes/pane.ts';
import type {UndoOffer} from '../state/operations/undo.ts';
import type {Mutes} from '../state/mutes.ts';
import type {Operations} from '../state/operations/operation.ts';
import type {Poller} from '../state/poller/poller.ts';
import type {PrometheusMetrics} from '../state/prometheus-metrics.ts';
import {learnBills} from '../state/billing.ts';
import {alertWants, learnActivity, presentTriage, TRIAGE_LISTS} from '../state/triage.ts';
import type {ProgramEnd} from '../terminal/run-program.ts';
import type {Seconds} from '../ui/moment.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {type AlertHost, Alerts} from './alerts.ts';
import {Created} from './created.ts';
import {type BoxContent, boxContent} from './overlay/box-content.ts';
import {GpuWatch, type StartProgram} from './overlay/gpu-watch.ts';
import {MuteSteps} from './mute-steps.ts';
import {type OfferedCommand, offeredCommands} from './keymap.ts';
import {LastFindings} from './next-finding.ts';
import {type Notification, Notifications} from './notifications.ts';
import type {OneTimeSecret} from './overlay/one-time-secret.ts';
import {isNewlyAsked, OpenOverlay, type Typing, WATCH_INTERVAL_MS} from './overlay/open-overlay.ts';
import type {Overlay} from './overlay/overlay.ts';
import {Places} from './places.ts';
import {Repaints} from './repaints.ts';
import {SceneSource, type SceneSources} from './scene-source.ts';
import type {Themes} from './themes.ts';
import {Wants} from './wants.ts';
import {type WriteMode, Writes} from './writes.ts';

/** What the program does for the deck outside it. */
export type DeckHost = {
  readonly leave: (exitCode: number) => void;
  readonly suspend: () => void;
  /** Gives the terminal to another program until it ends. */
  readonly run: (words: readonly string[]) => Promise<ProgramEnd>;
  /** Runs another program beside the deck, and reports what it prints. */
  readonly watch: (words: readonly string[]) => StartProgram;
  readonly redraw: () => void;
  /** Returns false if the text is too long for a clipboard: it is then left as it was. */
  readonly copy: (...lines: readonly SafeText[]) => boolean;
  /** Writes the screen and its table to files; says where, or why not. */
  readonly saveScreen: (table: PlainTable) => SafeText;
};

export type TerminalSize = {readonly columns: number; readonly rows: number};

/** All that one repaint shows. */
export type Shown = {
  readonly scene: Scene;
  /** Of the whole terminal. */
  readonly size: TerminalSize;
  readonly pane: Pane;
  /** What lies above the pane. */
  readonly overlay: Overlay | undefined;
  readonly boxContent: BoxContent | undefined;
  readonly notification: Notification | undefined;
  readonly mode: WriteMode;
  /** What was sent in this session, also before writes were locked again. */
  readonly sent: readonly Operation[];
  /** What undo would take back next, if the notification is about an operation. */
  readonly toUndo: UndoOffer | undefined;
  /** The commands for the status bar; none while an overlay has keys of its own. */
  readonly offered: readonly OfferedCommand[];
  readonly isSimulated: boolean;
};

export type DeckOptions = Omit<SceneSources, 'writes' | 'muteSteps'> & {
  readonly panes: readonly Pane[];
  readonly operations: Operations | undefined;
  /** Creates the client that can send, if it does not exist from the start. */
  readonly unlock?: (() => Operations) | undefined;
  readonly poller: Poller;
  /** Supplies the machines' metrics besides the service. */
  readonly prometheus?: Pick<PrometheusMetrics, 'refresh' | 'takeNews'> | undefined;
  readonly theme: Theme;
  /** The themes to choose from; absent if there is no choice. */
  readonly themes?: Themes | undefined;
  readonly size: TerminalSize;
  readonly mutes?: Pick<Mutes, 'all' | 'add' | 'remove'> | undefined;
  readonly alertHost?: AlertHost | undefined;
  /** The built-in simulator is used instead of an account. */
  readonly isSimulated?: boolean;
  readonly host: DeckHost;
};

/** Header, tabs, message line, key line. */
const FRAME_ROWS = 4;

/**
 * What a person sees: the open pane, what lies above it, the messages, and when it is painted again. Keys and commands
 * change it through its functions and call `changed`; readings and the clock change it from here.
 */
export class Deck {
  readonly host: DeckHost;
  readonly panes: readonly Pane[];
  readonly poller: Poller;
  readonly writes: Writes;
  readonly lastFindings = new LastFindings();
  /** Mutes findings, or lists them again. */
  readonly muteSteps: MuteSteps;
  readonly after: Clock['after'];

  readonly #options: DeckOptions;
  readonly #clock: Clock;
  readonly #scenes: SceneSource;
  readonly #places: Places;
  readonly #overlay: OpenOverlay;
  readonly #notifications: Notifications;
  readonly #repaints: Repaints;
  readonly #alerts: Alerts | undefined;
  readonly #wants: Wants;
  readonly #created = new Created();
  readonly #chosenPaneIds = new Set<string>();
  readonly #unsubscribes: Cancel[];
  #size: TerminalSize;
  #theme: Theme;
  #themeName: string | undefined;
  #shown: Shown | undefined;
  #latest: Scene | undefined;
  /** What the latest repaint of everything went by; a second that is painted counts for nothing here. */
  #painted: {readonly facts: Scene['facts']; readonly notification: Notification | undefined} | undefined;
  #cancelTick: Cancel | undefined;
  #cancelWatch: Cancel | undefined;

  constructor(options: DeckOptions) {
    const {panes, store, poller, clock, preferences = DEFAULT_PREFERENCES, host, alertHost} = options;
    this.#options = options;
    this.host = host;
    this.panes = panes;
    this.poller = poller;
    this.muteSteps = new MuteSteps(options.mutes);
    this.after = clock.after;
    this.#clock = clock;
    this.#places = new Places(panes);
    this.#overlay = new OpenOverlay(clock, secret => this.#forget(secret));
    this.#notifications = new Notifications(clock, () => isAsking(this.overlay()));
    this.#wants = new Wants({
      poller,
      clock,
      preferences,
      shown: () => ({pane: this.pane(), scene: this.scene(), overlay: this.#overlay.wants(store)}),
    });
    this.#repaints = new Repaints(clock);
    this.#alerts = alertHost && new Alerts(preferences.alerts, alertHost, trouble => this.notify(trouble, 'warning'));
    this.#size = options.size;
    this.#theme = options.theme;
    this.#themeName = options.themes?.inUse;
    const dataChanged = () => this.#dataChanged();
    this.#unsubscribes = [store.subscribe(dataChanged), poller.subscribe(dataChanged)];
    this.writes = new Writes({
      operations: options.operations,
      unlock: options.unlock,
      onOperations: operations => this.#unsubscribes.push(operations.subscribe(operation => this.#announce(operation))),
      beforeNext: () => {
        if (this.withdrawOverdue()) this.changed();
      },
    });
    this.#scenes = new SceneSource({...options, writes: this.writes, muteSteps: this.muteSteps});
    this.#tick();
  }

  pane(): Pane {
    return this.#places.pane();
  }

  /** Opens a pane, with the cursor on an object if one is named; `back` returns from there. */
  goTo(paneId: string, target?: Target): void {
    this.#notifications.leaveScreen();
    this.#places.goTo(paneId, target);
    this.setOverlay(undefined);
  }

  /** The overview as if chosen by its key: q has nothing to go back to from it. */
  isAtRoot(): boolean {
    return this.#places.isRoot();
  }

  /** One step back; false if there is none. */
  back(): boolean {
    return this.#isElsewhere(this.#places.back());
  }

  /** One step forward again; false if there is none. */
  forward(): boolean {
    return this.#isElsewhere(this.#places.forward());
  }

  /** A key of the open pane was pressed: from now on its cursor stays on its object. */
  choose(): void {
    this.#created.forget(this.pane());
    this.#chosenPaneIds.add(this.pane().id);
  }

  overlay(): Overlay | undefined {
    return this.#overlay.present;
  }

  setOverlay(overlay: Overlay | undefined): void {
    const before = this.overlay();
    if (overlay !== undefined && before === undefined) {
      this.forgetRefusal();
      this.#notifications.forgetWhole();
    }
    // What it said, such as its keys, is not about what lies below, nor about what it asks.
    if (before?.kind === 'form' && overlay?.kind !== 'form') this.forgetRefusal();
    if (before === undefined && isAsking(overlay)) this.#notifications.beginQuestion();
    this.#overlay.replace(overlay);
    if (!isNewlyAsked(before, overlay)) return;
    this.#cancelWatch?.();
    // A terminal that takes no output holds the program up while it draws: only then the question can be read.
    this.#cancelWatch = this.#clock.after(0, () => {
      this.#overlay.readAnew();
      this.#watchQuestion();
    });
  }

  /** The time that passes while the program stands still is no time in which a question was read. */
  #watchQuestion(): void {
    if (this.withdrawOverdue()) this.changed();
    this.#cancelWatch = this.#overlay.asks()
      ? this.#clock.after(WATCH_INTERVAL_MS, () => this.#watchQuestion())
      : undefined;
  }

  /** Whether something asks for an answer. */
  asks(): boolean {
    return this.#overlay.asks();
  }

  /** Shows the GPUs of a machine as reported on it; closing the box ends it. */
  watchGpus({name, words}: {readonly name: SafeText; readonly words: readonly string[]}): void {
    const watch = new GpuWatch({
      name,
      start: this.host.watch(words),
      clock: this.#clock,
      changed: () => this.changed(),
    });
    this.setOverlay({kind: 'gpus', watch});
  }

  /** A secret is on the screen, or was a moment ago: this screen must not be saved. */
  isSecretInSight(): boolean {
    return this.#overlay.isSecretInSight();
  }

  /** Closes what is open without an answer, or returns to its form; further keys typed for it are dropped. */
  withdrawOverlay(typing?: Typing): void {
    this.#overlay.withdraw(typing);
  }

  /** Another program gets the terminal: nothing may stay open that a key meant for that program could answer. */
  suspend(): void {
    this.#warn(this.#overlay.suspend());
  }

  /** Another program had the terminal. */
  resume(): void {
    this.#warn(this.#overlay.resume());
  }

  #warn(text: SafeText | undefined): void {
    if (text !== undefined) this.notify(text, 'warning');
  }

  /**
   * Whether this key was meant for a question that was withdrawn; if so it is dropped, with a message. Called once per
   * key.
   */
  dropsKey(key: string): boolean {
    const text = this.#overlay.dropped(key);
    if (text !== undefined) this.refuse(text, 'warning');
    return text !== undefined;
  }

  /** The same for a paste, of whose beginning a message has told already. */
  dropsPaste(): boolean {
    return this.#overlay.dropped('paste') !== undefined;
  }

  notification(): Notification | undefined {
    return this.#notifications.latest;
  }

  notify(text: SafeText, tone?: Tone): void {
    this.#notifications.tell(text, tone);
  }

  /** Shows a message that is useful only in full, such as a path. */
  notifyWhole(text: SafeText): void {
    this.#notifications.tellWhole(text);
  }

  /** Says why a key did nothing, or what it did in a box, until the cursor moves or something opens. */
  refuse(text: SafeText, tone: Tone = 'text'): void {
    this.#notifications.refuse(text, tone);
  }

  /**
   * Puts the lines on the clipboard and says `said`, or that they are too long for one and what to do `instead`; in a
   * box where the key was pressed. Returns whether they were copied.
   */
  copy(lines: readonly SafeText[], {said, instead}: {said: SafeText; instead?: SafeText | undefined}): boolean {
    const isCopied = this.host.copy(...lines);
    const advice = instead === undefined ? say`` : say`; ${instead}`;
    const text = isCopied ? said : say`too long for a clipboard: nothing was copied${advice}`;
    const tone = isCopied ? 'text' : 'warning';
    if (this.overlay() === undefined) this.notify(text, tone);
    else this.refuse(text, tone);
    return isCopied;
  }

  /** A key was pressed by a person who sees the messages. */
  readMessage(): void {
    this.#notifications.read();
  }

  /** A key was pressed in a box; `before` is the message that was shown before it. */
  forgetWarning(before: Notification | undefined): void {
    this.#notifications.forgetWarning(before);
  }

  /** The person has moved on to something else. */
  forgetRefusal(): void {
    this.#notifications.forgetRefusal();
  }

  size(): TerminalSize {
    return this.#size;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#overlay.readAnew();
    this.changed();
  }

  /** The themes to choose from, and the one in use. */
  themes(): readonly {readonly name: SafeText; readonly isInUse: boolean}[] {
    const names = this.#options.themes?.names() ?? [];
    return names.map(name => ({name, isInUse: name === this.#themeName}));
  }

  /** Changes the colours at once, and keeps the choice for the next start. */
  async setTheme(name: SafeText): Promise<void> {
    const {themes} = this.#options;
    const theme = themes?.named(name);
    if (themes === undefined || theme === undefined) return;
    if (!theme.ok) return this.notify(theme.mistake, 'warning');
    this.#theme = theme.value;
    this.#themeName = name;
    this.changed();
    const kept = await themes.keep(name);
    if (kept.ok) this.notify(say`theme ${name}, kept in settings.json`);
    else this.notify(say`theme ${name} until you leave: ${kept.mistake}`, 'warning');
    this.changed();
  }

  now(): MonotonicMs {
    return this.#clock.monotonicNow();
  }

  scene(): Scene {
    return this.#scenes.scene({
      size: {columns: this.#size.columns, rows: Math.max(1, this.#size.rows - FRAME_ROWS)},
      theme: this.#theme,
      hasChosen: this.#chosenPaneIds.has(this.pane().id),
    });
  }

  /** What a repaint would show now. */
  present(): Shown {
    const overlay = this.overlay();
    const notification = this.notification();
    return {
      scene: this.scene(),
      size: this.#size,
      pane: this.pane(),
      overlay,
      boxContent: boxContent(this, overlay),
      notification,
      mode: this.writes.mode(),
      sent: this.writes.watched()?.all() ?? [],
      // Made only if it is told: a batch has hundreds of actions to look at.
      toUndo: notification?.operationId === undefined ? undefined : this.writes.undo()?.toUndo(),
      offered: overlay === undefined ? offeredCommands(this) : [],
      isSimulated: this.#options.isSimulated === true,
    };
  }

  /** What the latest repaint shows: the same object until the next one. */
  readonly shown = (): Shown => {
    this.#shown ??= this.present();
    return this.#shown;
  };

  readonly subscribe = (listener: () => void): Cancel => this.#repaints.subscribe(listener);

  /** The scene of the latest second, for parts that show the seconds. */
  readonly seconds: Seconds<Scene> = {
    subscribe: listener => this.#repaints.subscribeSeconds(listener),
    latest: () => this.#latest ?? this.shown().scene,
  };

  /** While this holds, readings are not painted. */
  holdReadings(isHeld: () => boolean): void {
    this.#repaints.holdReadings(isHeld);
  }

  /** What is shown changed: it is painted at once, and what it calls for is requested once it is on the screen. */
  changed(): void {
    this.#adjust();
    this.#paintAll();
    this.#wants.updateSoon();
  }

  stop(): void {
    this.setOverlay(undefined);
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    this.#cancelTick?.();
    this.#cancelWatch?.();
    this.#wants.stop();
    this.#repaints.stop();
    this.writes.watched()?.stop();
    this.poller.stop();
  }

  #dataChanged(): void {
    const dataSeen = `${this.#options.store.version()} ${this.poller.health().status}`;
    this.#repaints.soon(dataSeen, () => this.changed());
  }

  #adjust(): void {
    const pane = this.pane();
    this.#refreshPrometheus();
    this.#learn();
    this.#scenes.changes.compare(this.scene());
    const isFree = this.overlay() === undefined;
    const target = isFree ? this.#created.take(pane, this.#options.store, this.now()) : undefined;
    if (target !== undefined) pane.goTo(target);
    pane.adjust(this.scene());
    const asked = this.overlay();
    this.#overlay.adjust(this.scene());
    // Why an earlier answer was not taken may no longer hold for the question as it is now.
    if (this.asks() && this.overlay() !== asked) this.forgetRefusal();
  }

  /** What later readings are compared with. Nothing is learnt while it is judged or shown. */
  #learn(): void {
    const known = this.scene();
    learnActivity(known);
    learnBills(known);
  }

  #paintAll(): void {
    this.#paint();
    const {scene, notification} = this.shown();
    this.#painted = {facts: scene.facts, notification};
  }

  #paint(): void {
    this.#shown = this.present();
    this.#latest = this.#shown.scene;
    this.#repaints.now();
  }

  /** If nothing on the pane counts seconds, it stays unchanged as they pass. */
  #paintSecond(): void {
    const scene = this.scene();
    if (!this.pane().isStill(scene)) return this.#paint();
    this.#latest = scene;
    this.#repaints.second();
  }

  /**
   * Closes a question that was open while the program stood still, or for too long, and locks writes when their time is
   * over. To be called before a key counts too: after a stop, what was typed meanwhile may be read before the clock
   * ticks. Returns whether anything was closed.
   */
  withdrawOverdue(): boolean {
    const withdrawn = this.#overlay.tick(this.now());
    if (withdrawn !== undefined) this.refuse(withdrawn, 'warning');
    const locked = this.writes.expire(this.now());
    if (locked !== undefined) {
      this.#overlay.lock();
      this.notify(locked, 'warning');
    }
    return withdrawn !== undefined || locked !== undefined;
  }

  /** Ages and the clock advance once a second, without any request. */
  #tick(): void {
    const now = this.now();
    this.withdrawOverdue();
    this.#refreshPrometheus();
    this.#learn();
    this.#watchForAlerts();
    this.#notifications.expire(now);
    if (this.#isQuiet()) {
      this.#scenes.changes.compare(this.scene());
      this.#paintSecond();
    } else this.changed();
    this.#cancelTick = this.#clock.after(SECOND_MS - (this.#clock.wallNow() % SECOND_MS), () => this.#tick());
  }

  /** Only the clock advanced: nothing is new, and nothing on the screen but ages counts seconds. */
  #isQuiet(): boolean {
    const isPainted =
      this.#painted?.facts === this.#scenes.facts() && this.#painted.notification === this.notification();
    return this.overlay() === undefined && !this.#scenes.countsEverywhere() && isPainted;
  }

  /** Also while another pane is open, if the person wants alerts; feeds wanted for that have their own interval. */
  #watchForAlerts(): void {
    if (this.#alerts?.isOn !== true) return;
    const scene = this.scene();
    this.poller.want('alerts', alertWants(scene));
    const isWhole = TRIAGE_LISTS.every(({feed}) => scene.store.get(feed).status !== 'waiting');
    this.#alerts.check(presentTriage(scene).findings, {isWhole, now: scene.monotonicNow});
  }

  /** Before feeds are wanted: those it supplies are not requested. */
  #refreshPrometheus(): void {
    const {prometheus} = this.#options;
    prometheus?.refresh();
    const news = prometheus?.takeNews();
    if (news !== undefined) this.notify(news, 'warning');
  }

  #announce(operation: Operation): void {
    this.#created.note(operation, this.now());
    this.#notifications.tellOf(operation);
    // Before a batch begins its next action: the computer may have slept, and the time for writes be over.
    this.withdrawOverdue();
    const secret = this.#overlay.expectSecret(operation);
    if (secret !== undefined && this.overlay() !== undefined) {
      this.notify(say`${secret.title}: shown as soon as this is closed`);
    }
    this.changed();
  }

  /** A secret that was shown once is removed from every place that kept it. */
  #forget(secret: OneTimeSecret): void {
    if (secret.kind === 'access-key') this.writes.watched()?.dropSecret(secret.operationId);
    else this.poller.forget(secret.feed);
  }

  #isElsewhere(hasMoved: boolean): boolean {
    if (hasMoved) this.#notifications.leaveScreen();
    return hasMoved;
  }
}

/** Whether the next operation is prepared. */
function isAsking(overlay: Overlay | undefined): boolean {
  return overlay?.kind === 'question' || overlay?.kind === 'form';
}
