import { mount } from "svelte";

import "../style.css";
import ReviewPage from "./ReviewPage.svelte";

const target = document.getElementById("app");
if (target) mount(ReviewPage, { target });
