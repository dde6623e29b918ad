// What works in the header of every page: the search box, and the button for the theme.
import "./search.js";
import "./theme.js";
