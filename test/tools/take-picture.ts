import {indexedPng} from './indexed-png.ts';
import {renderSvg, screenToSvg} from './picture.ts';
import type {PictureScene, PictureSize} from './scene.ts';
import {openSteppedDeck, type SteppedDeck} from './stepped-deck.ts';

export type Picture = {readonly png: Buffer; readonly svg: string; readonly text: string};

/** Long enough for the list, the money and the metrics of the largest screen, and short of the second poll. */
const LOADING_MS = 3000;
/** What a key changes is drawn at once; an escape is told from a sequence after some milliseconds. */
const KEY_MS = 100;

/** Plays a scene on the built deck in virtual time. Rejects when the screen does not show what the scene is for. */
export async function takePicture(scene: PictureScene, size: PictureSize): Promise<Picture> {
  const {faults} = scene;
  const deck = await openSteppedDeck({...scene, ...size, faults: faults?.from === 'start' ? faults.specs : undefined});
  try {
    await play(scene, deck);
    const text = deck.terminal.text();
    if (text.search(scene.shows) === -1) throw new Error(`The picture does not show ${scene.shows}:\n${text}`);
    const svg = screenToSvg(deck.terminal.emulator, scene.paper === undefined ? {} : {paper: scene.paper});
    return {svg, png: indexedPng(renderSvg(svg)), text};
  } finally {
    await deck.close();
  }
}

async function play({pane, keys, faults, isUnanswered}: PictureScene, deck: SteppedDeck): Promise<void> {
  const passing = {waitsForAnswers: isUnanswered !== true};
  await deck.press(pane, 0, passing);
  await deck.letPass(LOADING_MS, passing);
  if (faults?.from === 'loaded') deck.simulator.setFaults(faults.specs);
  for (const key of keys) {
    if (key === 'wait:ssh') {
      await deck.sshHasPrinted();
      continue;
    }
    const waitMs = /^wait:(\d+)$/.exec(key)?.[1];
    if (waitMs === undefined) await deck.press(key, KEY_MS, passing);
    else await deck.letPass(Number(waitMs), passing);
  }
}
