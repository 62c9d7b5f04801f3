import {ACTION_SCENES} from './action-scenes.ts';
import {LOOK_SCENES} from './look-scenes.ts';
import {PANE_SCENES} from './pane-scenes.ts';
import type {PictureScene} from './scene.ts';

export const SCENES: readonly PictureScene[] = [...PANE_SCENES, ...ACTION_SCENES, ...LOOK_SCENES];
