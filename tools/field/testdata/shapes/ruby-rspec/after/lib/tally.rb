# Tally counts words.
module Tally
  def self.count(text)
    text.split.map(&:downcase).tally
  end
end
