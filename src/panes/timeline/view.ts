import {LIST_VIEW, type ListView} from '../resource-list.tsx';
import {ZOOM_START, type ZoomView} from '../zoomed-detail.tsx';
import type {Window} from '../../domain/window.ts';

/** What a person has chosen in the timeline: an entry, and how far back it reaches. */
export type TimelineView = ListView<string> & ZoomView & {readonly window: Window};

export const INITIAL_VIEW: TimelineView = {...LIST_VIEW, ...ZOOM_START, window: '1d'};
